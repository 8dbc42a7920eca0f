"""An HTTP server with the habits of real ones, for data_get.sh: server.py FOLDER LOG

It prints its port, and serves FOLDER under a first folder that says how:
  /plain/FILE   as it should be, ranges too
  /cut-N/FILE   the connection breaks after N bytes, each time
  /slow/FILE    1,000 bytes, and a pause of 20 ms
  /whole/FILE   no ranges: always all of it
Every request is a line of LOG: its path, and the range that was asked for, or -.
"""
import http.server
import os
import sys
import time

folder, log = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        _, habit, name = self.path.split("/", 2)
        asked = self.headers.get("Range", "-")
        with open(log, "a") as out:
            print(self.path, asked, file=out)
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            return self.send_error(404)
        with open(path, "rb") as source:
            content = source.read()
        begin = 0 if asked == "-" or habit == "whole" else int(asked[len("bytes="):].split("-")[0])
        if begin and begin >= len(content):
            return self.send_error(416)
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - begin))
        self.end_headers()
        rest = content[begin:]
        if habit.startswith("cut-"):
            rest = rest[: int(habit[len("cut-"):])]
        step = 1000 if habit == "slow" else max(1, len(rest))
        for at in range(0, len(rest), step):
            self.wfile.write(rest[at : at + step])
            time.sleep(0.02 if habit == "slow" else 0)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # a client that was killed


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
