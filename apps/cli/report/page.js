// What moves on a page: charts, the order of forest rows, light and dark.
//
// A chart's spec, as it stands in its figure:
//   {"x": [{"name": "iteration"}, {"name": "seconds"}],     one is shown, buttons change it; "log": true of the first
//    "y": {"name": "gap, nats", "log": true},                or "zero": true, to begin there
//    "series": [{"name": "run", "x": [[…], […]], "y": […],   an x for each of the above
//                "low": […], "high": […], "size": […],       optional: vertical intervals, radii of dots
//                "labels": […],                              optional: words beside the dots
//                "band": true,                               the intervals as an area
//                "colour": 2,                                the third of page.css; by default in their order
//                "dots": true}],                             dots without a line
//    "legend": false,                                        none: it stands elsewhere
//    "diagonal": true,                                       the line y = x on the unit square
//    "square": true}
(() => {
  'use strict';
  const root = document.documentElement;
  root.classList.add('js');
  const colours = 8;
  const charts = [];
  const colour = (name) => getComputedStyle(root).getPropertyValue('--' + name).trim();
  // The ninth series has the first one's colour, so its line is broken.
  const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3]];

  const element = (tag, properties = {}, children = []) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  };

  /// Buttons of which one is down.
  const choice = (label, names, chosen) => {
    const buttons = names.map((name, k) => {
      const button = element('button', { type: 'button', textContent: name });
      button.setAttribute('aria-pressed', String(k === 0));
      button.addEventListener('click', () => {
        buttons.forEach((b) => b.setAttribute('aria-pressed', String(b === button)));
        chosen(k);
      });
      return button;
    });
    return element('div', { className: 'tools' }, [element('span', { textContent: label }), ...buttons]);
  };

  /// Few digits, powers of ten as such.
  const tick = (value) => {
    if (value === 0) return '0';
    const size = Math.abs(value);
    return size >= 1e6 || size < 1e-3 ? value.toExponential().replace('e+', 'e') : String(Number(value.toPrecision(6)));
  };
  /// Of the ticks of a logarithmic axis, those with a number: the powers of ten, or also their double and
  /// fivefold, or all of them, so that there are three or more wherever the axis has as many.
  const numbered = (ticks) => {
    const mantissa = (tick) => Number(tick.value.toExponential(6).split('e')[0]);
    for (const round of [[1], [1, 2, 5]]) {
      const some = ticks.filter((tick) => round.includes(mantissa(tick)));
      if (some.length > 2) return some;
    }
    return ticks;
  };

  const points = (series, which) => series.y
    .map((y, k) => ({ x: series.x[which][k], y, low: series.low?.[k], high: series.high?.[k], label: series.labels?.[k] }))
    .filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));

  /// The area between low and high.
  const area = ({ ctx, scales: { x, y }, chartArea: box }, set) => {
    ctx.save();
    ctx.beginPath();
    ctx.rect(box.left, box.top, box.width, box.height);
    ctx.clip();
    ctx.beginPath();
    set.data.forEach((p) => ctx.lineTo(x.getPixelForValue(p.x), y.getPixelForValue(p.high)));
    [...set.data].reverse().forEach((p) => ctx.lineTo(x.getPixelForValue(p.x), y.getPixelForValue(p.low)));
    ctx.fillStyle = set.borderColor;
    ctx.globalAlpha = 0.2;
    ctx.fill();
    ctx.restore();
  };

  /// Vertical lines from low to high, or the area between.
  const ranges = {
    id: 'ranges',
    beforeDatasetsDraw(chart) {
      const { ctx, scales: { x, y } } = chart;
      const sets = chart.data.datasets.filter((set) => !set.diagonal).length;
      chart.data.datasets.forEach((set, k) => {
        if (!chart.isDatasetVisible(k)) return;
        if (set.band) return area(chart, set);
        const aside = 4 * (k - (sets - 1) / 2);  // so that equal ones are all seen
        ctx.save();
        ctx.strokeStyle = set.borderColor;
        ctx.globalAlpha = 0.5;
        ctx.lineWidth = 1.5;
        for (const p of set.data) {
          if (!Number.isFinite(p.low) || !Number.isFinite(p.high)) continue;
          ctx.beginPath();
          ctx.moveTo(x.getPixelForValue(p.x) + aside, y.getPixelForValue(p.low));
          ctx.lineTo(x.getPixelForValue(p.x) + aside, y.getPixelForValue(p.high));
          ctx.stroke();
        }
        ctx.restore();
      });
    },
  };

  const words = {
    id: 'words',
    afterDatasetsDraw(chart) {
      const { ctx, scales: { x, y } } = chart;
      ctx.save();
      ctx.fillStyle = colour('ink');
      ctx.textBaseline = 'middle';
      chart.data.datasets.forEach((set, k) => {
        if (!chart.isDatasetVisible(k)) return;
        for (const p of set.data)
          if (p.label) ctx.fillText(p.label, x.getPixelForValue(p.x) + 7, y.getPixelForValue(p.y));
      });
      ctx.restore();
    },
  };

  const dataset = (series, k, { length }) => ({
    label: series.name,
    data: points(series, 0),
    showLine: !series.dots,
    band: Boolean(series.band),
    colour: series.colour ?? k,
    hollow: Boolean(series.dots) && length > 1,  // rings around each other
    borderWidth: 2,
    clip: series.dots ? false : undefined,
    borderDash: dashes[Math.floor(k / colours) % dashes.length],
    pointRadius: series.dots ? (series.size?.map((size) => size + 2 * k) ?? 4) : series.y.length > 1 ? 0 : 4,
    pointHitRadius: 8,
    tension: 0,
  });

  const axis = (name, more = {}) => ({
    type: 'linear',
    title: { display: true, text: name },
    grid: { drawBorder: false },
    ticks: { callback: tick, maxRotation: 0, autoSkipPadding: 12 },
    ...more,
  });

  if (window.Chart) Object.assign(Chart.defaults.font, { family: getComputedStyle(document.body).fontFamily, size: 12 });

  /// Colours are the page's, which may change with the time of day.
  const paint = (chart) => {
    const ink = colour('ink'), soft = colour('soft'), line = colour('line'), paper = colour('paper');
    chart.data.datasets.forEach((set, k) => {
      const own = set.diagonal ? soft : colour('c' + (set.colour % colours));
      Object.assign(set, { borderColor: own, backgroundColor: set.hollow ? 'transparent' : own, pointHoverBackgroundColor: own });
    });
    for (const scale of Object.values(chart.options.scales)) {
      scale.grid.color = line;
      scale.ticks.color = soft;
      scale.title.color = soft;
    }
    chart.options.plugins.legend.labels.color = ink;
    Object.assign(chart.options.plugins.tooltip, {
      backgroundColor: paper, titleColor: ink, bodyColor: ink, borderColor: line, borderWidth: 1,
    });
    chart.update('none');
  };

  /// The names of many series, below the chart so that they take nothing from its height. Each shows and hides
  /// its own.
  const names = (chart) => element('div', { className: 'names' }, chart.data.datasets
    .filter((set) => !set.diagonal)
    .map((set, k) => {
      const key = element('i', { className: 'line c' + (set.colour % colours) });
      key.style.borderTopStyle = ['solid', 'dashed', 'dotted', 'double'][Math.floor(k / colours) % 4];
      const button = element('button', { type: 'button' }, [key, set.label]);
      button.setAttribute('aria-pressed', 'true');
      button.addEventListener('click', () => {
        chart.setDatasetVisibility(k, !chart.isDatasetVisible(k));
        button.setAttribute('aria-pressed', String(chart.isDatasetVisible(k)));
        chart.update();
      });
      return button;
    }));
  const many = 6;  // series, that a legend inside the chart has room for on a telephone

  const draw = (figure) => {
    const spec = JSON.parse(figure.querySelector('script').textContent);
    if (spec.square) figure.classList.add('square');
    const datasets = spec.series.map(dataset);
    const bounds = {};
    if (spec.diagonal) {
      Object.assign(bounds, { min: 0, max: 1 });
      datasets.push({
        label: 'perfect', diagonal: true, data: [{ x: 0, y: 0 }, { x: 1, y: 1 }],
        showLine: true, borderWidth: 1, borderDash: [4, 4], pointRadius: 0, pointHitRadius: 0,
      });
    }
    const logarithmic = (scale) => Object.assign(scale, { type: 'logarithmic' }).ticks.callback =
      (value, k, ticks) => (numbered(ticks).includes(ticks[k]) ? tick(Number(value.toPrecision(4))) : null);
    const x = axis(spec.x[0].name, bounds), y = axis(spec.y.name, { ...bounds, beginAtZero: Boolean(spec.y.zero) });
    if (spec.x[0].log) logarithmic(x);
    if (spec.y.log) logarithmic(y);
    const chart = new Chart(figure.querySelector('canvas'), {
      type: 'scatter',
      data: { datasets },
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: { mode: 'nearest', axis: 'xy', intersect: false },
        scales: { x, y },
        plugins: {
          legend: {
            display: spec.legend !== false && spec.series.length > 1 && spec.series.length <= many,
            labels: { usePointStyle: true, boxWidth: 9, boxHeight: 6, padding: 14, filter: (item, data) => !data.datasets[item.datasetIndex].diagonal },
          },
          tooltip: {
            displayColors: false,
            filter: (item) => !item.dataset.diagonal,
            callbacks: {
              label: ({ dataset: set, raw }) => [
                ...(spec.series.length > 1 ? [set.label] : []),
                ...(raw.label ? [raw.label] : []),
                chart.options.scales.x.title.text + ' ' + tick(Number(raw.x.toPrecision(4))),
                spec.y.name + ' ' + tick(Number(raw.y.toPrecision(4))),
              ],
            },
          },
        },
      },
      plugins: [ranges, words],
    });
    charts.push(chart);
    paint(chart);
    if (spec.legend !== false && spec.series.length > many)
      figure.querySelector('.canvas').after(names(chart));
    if (spec.x.length > 1)
      figure.prepend(choice('against', spec.x.map((x) => x.name), (which) => {
        spec.series.forEach((series, k) => { chart.data.datasets[k].data = points(series, which); });
        chart.options.scales.x.title.text = spec.x[which].name;
        chart.update();
      }));
  };

  const forest = (table) => {
    const body = table.tBodies[0], rows = [...body.rows];
    const shown = Number(table.dataset.shown), many = rows.length > shown;
    const name = (row) => row.cells[0].textContent;
    const strength = (row) => Number(row.dataset.strength) || 0;
    const orders = [
      ['as in the data', () => 0],
      ['strongest first', (a, b) => strength(b) - strength(a)],
      ['by name', (a, b) => name(a).localeCompare(name(b), undefined, { numeric: true })],
    ];
    if (many) orders.unshift(orders.splice(1, 1)[0]);
    let all = false;
    let order = 0;
    const more = element('button', { type: 'button' });
    const arrange = () => {
      const sorted = [...rows].sort(orders[order][1]);
      sorted.forEach((row, k) => { row.hidden = !all && k >= shown; });
      body.append(...sorted);
      more.textContent = all ? `show ${shown}` : `show all ${rows.length}`;
    };
    more.addEventListener('click', () => { all = !all; arrange(); });
    if (rows.length > 2)
      table.before(choice('order', orders.map(([title]) => title), (which) => { order = which; arrange(); }));
    if (many) table.after(element('div', { className: 'tools' }, [more]));
    arrange();
  };

  document.querySelectorAll('.forest').forEach(forest);
  document.querySelectorAll('figure.chart').forEach(draw);
  const repaint = () => charts.forEach((chart) => { chart.resize(); paint(chart); });
  for (const query of ['(prefers-color-scheme: dark)', 'print'])
    matchMedia(query).addEventListener('change', repaint);
  addEventListener('beforeprint', repaint);
  addEventListener('afterprint', repaint);
})();
