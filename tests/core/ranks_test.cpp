// Ranks: sums have the bits of one process, rows come to where they belong, and what goes wrong on one goes wrong on all.
#include "fisherman/core/ranks.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "fisherman/core/random.hpp"
#include "fisherman/core/row_parts.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/npy.hpp"
#include "fisherman/model/likelihood.hpp"
#include "fisherman/model/regression.hpp"
#include "ranks_in_threads.hpp"

namespace fisherman::core_ranks_test {
namespace {

constexpr int most_ranks = 7;

struct Moments {
  double sum = 0.0;
  Matrix products;
  void operator+=(const Moments& other) {
    sum += other.sum;
    products += other.products;
  }
  auto fields() { return std::tie(sum, products); }
};

TEST(Ranks, SumsHaveTheBitsOfOneProcess) {
  for (const Index rows : {1, 513, 5000, 40001}) {
    const Matrix x = Draws(1, 0).normals(0, rows, 3).array().cube().exp();
    const auto leaf = [&](Index first, Index count) {
      const Matrix some = x.middleRows(first, count);
      return Moments{some.sum(), some.transpose() * some};
    };
    const auto alone = sum_over_rows<Moments>(rows, leaf);
    for (int ranks = 2; ranks <= most_ranks; ++ranks)
      on_ranks(ranks, [&](int) {
        Index seen = 0;
        const auto shared = sum_over_rows<Moments>(rows, [&](Index first, Index count) {
          EXPECT_TRUE(RowPart::of_rank(rows).has(first));
          seen += count;
          return leaf(first, count);
        });
        EXPECT_EQ(shared.sum, alone.sum) << rows << " rows, " << ranks << " ranks";
        EXPECT_EQ(shared.products, alone.products);
        EXPECT_EQ(seen, RowPart::of_rank(rows).count);
      });
  }
}

TEST(Ranks, PartsCoverAllRowsInOrder) {
  for (const Index rows : {1, 8, 600, 5000, 123457})
    on_ranks(5, [&](int) {
      Index next = 0;
      for (int r = 0; r < 5; ++r) {
        const RowPart part = RowPart::of_rank(rows, r);
        EXPECT_EQ(part.first, next);
        EXPECT_FALSE(part.is_whole());
        next += part.count;
      }
      EXPECT_EQ(next, rows);
      EXPECT_THROW(RowPart::of_rank(rows).at(rows), Misuse);
    });
}

TEST(Ranks, AMessageCanBeAskedFor) {
  on_ranks(3, [&](int rank) {
    if (rank != 0) return messenger()->send(std::to_string(rank), 0);
    std::string all;
    while (all.size() < 2)
      if (const auto from = messenger()->sender()) all += messenger()->receive(*from);
    EXPECT_TRUE(all == "12" || all == "21") << all;
    EXPECT_FALSE(messenger()->sender());
  });
}

TEST(Ranks, WhatGoesWrongOnOneGoesWrongOnAll) {
  on_ranks(4, [&](int rank) {
    const auto bad_row = [](Index first, Index count) -> double {
      if (first <= 3000 && 3000 < first + count) throw NotFinite("row 3000 is bad");
      return 1.0;
    };
    try {
      sum_over_rows<double>(5000, bad_row);
      ADD_FAILURE() << "no exception on rank " << rank;
    } catch (const NotFinite& e) {
      EXPECT_STREQ(e.what(), "row 3000 is bad");
    }
    try {
      together([&] {
        if (rank >= 2) throw FileError(sentence("rank ", rank));
      });
      ADD_FAILURE() << "no exception on rank " << rank;
    } catch (const FileError& e) {
      EXPECT_STREQ(e.what(), "rank 2");
    }
    EXPECT_THROW(on_first_rank([]() -> int { throw Misuse("mine"); }), Misuse);
    EXPECT_EQ(from_first_rank(on_first_rank([] { return std::string("word"); })), "word");
    EXPECT_EQ(largest_of_ranks(rank), 3);
    EXPECT_EQ(sum_of_ranks(rank), 6);
    const Alone here;
    EXPECT_EQ(sum_over_rows<double>(5000, [](Index, Index count) { return double(count); }),
              5000.0);
  });
}

TEST(Ranks, RowsAreDealtAndCollected) {
  const Index rows = 3000;
  const Matrix x = Draws(2, 0).normals(0, 4, rows);
  SparseRows sparse;
  sparse.columns = 5;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = i % 3; j < 5; j += 2) {
      sparse.column.push_back(std::int32_t(j));
      sparse.value.push_back(double(i));
    }
    sparse.close_row();
  }
  const std::vector<Index> wanted = {2999, 0, 17, 17, 1500};
  on_ranks(3, [&](int rank) {
    // As they were read: a few, none and the rest.
    const Index first = rank == 0 ? 0 : 100, count = rank == 0 ? 100 : rank == 1 ? 0 : rows - 100;
    const Matrix mine = dealt(Matrix(x.middleCols(first, count)));
    const RowPart part = RowPart::of_rank(rows);
    EXPECT_EQ(mine, x.middleCols(part.first, part.count));
    EXPECT_EQ(collected(mine, part, wanted), x(Eigen::all, wanted));

    SparseRows some;
    some.columns = 5;
    for (Index i = first; i < first + count; ++i) some.append(sparse, i);
    const SparseRows here = dealt(std::move(some));
    const Matrix dense = sparse.dense();
    EXPECT_EQ(here.dense(), dense.middleRows(part.first, part.count));
    EXPECT_EQ(collected(here, part, wanted).dense(), dense(wanted, Eigen::all));
  });
}

/// A file in the folder of the tests, for as long as it lives.
struct File {
  std::filesystem::path path;
  File(const std::string& name, const std::string& bytes)
      : path(std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + name)) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~File() { std::filesystem::remove(path); }
};

/// All rows of a table that ranks have read parts of, and where they are.
std::vector<std::string> rows_of(const Columns& columns) {
  std::vector<std::string> out;
  for (Index i = 0; i < columns.rows; ++i) {
    std::string row = columns.place(i, "it");
    for (const Column& column : columns.all) row += "|" + column.text(i);
    out.push_back(row);
  }
  return out;
}

TEST(Ranks, MustSeeTheSameFile) {
  const File one("a.csv", "x,y\n1,0\n2,1\n"), other("b.csv", "x,y\n1,0\n3,1\n"),
      longer("c.csv", "x,y\n1,0\n2,1\n3,0\n");
  for (const File* odd : {&other, &longer})
    on_ranks(3, [&](int rank) {
      std::string said;
      try {
        read_table(rank == 2 ? odd->path : one.path, {.in_parts = true});
      } catch (const FileError& e) {
        said = e.what();
      }
      EXPECT_NE(said.find("is another file on some rank"), std::string::npos) << said;
    });
}

TEST(Ranks, TextIsCutAtTheEndsOfLines) {
  std::string text = "\n\"the\nname\",size,colour\n";
  for (int i = 0; i < 40; ++i)
    text += i % 3 == 0   ? "\"two\nlines, \"\"quoted\"\"\"," + std::to_string(i) + ",red\n"
            : i % 3 == 1 ? "plain,,green\r\n"
                         : "\"" + std::string(std::size_t(i), '\n') + "\",1e3,\n";
  for (const std::string& whole :
       {text, text.substr(0, text.size() - 1), std::string("a,b\n1,2\n")})
    for (const bool header : {true, false}) {
      const File file(".csv", header ? whole : whole.substr(whole.find_first_not_of('\n')));
      const ReadOptions options{
          .has_label = false, .header = header, .mixed = true, .in_parts = true};
      const std::vector<std::string> all = rows_of(*read_table(file.path, options).mixed);
      for (int ranks = 2; ranks <= most_ranks; ++ranks) {
        std::vector<std::vector<std::string>> parts(static_cast<std::size_t>(ranks));
        on_ranks(ranks, [&](int rank) {
          const Table part = read_table(file.path, options);
          EXPECT_EQ(part.all_rows(), Index(all.size()));
          parts[std::size_t(rank)] = rows_of(*part.mixed);
        });
        std::vector<std::string> joined;
        for (const auto& part : parts) joined.insert(joined.end(), part.begin(), part.end());
        EXPECT_EQ(joined, all) << ranks << " ranks";
      }
    }
}

TEST(Ranks, ErrorsNameTheLineOfTheWholeFile) {
  std::string text = "a,label\n";
  for (int i = 0; i < 50; ++i) text += i == 40 ? "x,1\n" : "1,0\n";
  const File file(".csv", text);
  on_ranks(4, [&](int) {
    try {
      read_table(file.path, {.in_parts = true});
      ADD_FAILURE() << "no exception";
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find(", line 42, column 'a': "), std::string::npos)
          << e.what();
    }
  });
}

TEST(Ranks, AChecksumIsThatOfTheWholeFile) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * i) + "\n";
  for (const std::string& bytes : {text, std::string("x"), std::string()}) {
    const File file(".csv", bytes);
    const std::string sum = file_checksum(file.path);
    for (const int ranks : {2, 5})
      on_ranks(ranks, [&](int) { EXPECT_EQ(shared_file_checksum(file.path), sum); });
  }
  on_ranks(3, [&](int) { EXPECT_THROW(shared_file_checksum("no such file"), FileError); });
}

TEST(Ranks, BinaryAndSparseFilesAreReadInParts) {
  const Matrix x = Draws(3, 0).normals(0, 1300, 3);
  const File npy(".npy", npy_bytes(x));
  std::string text;
  for (int i = 0; i < 1300; ++i)
    text += std::to_string(i % 2) + " " + std::to_string(1 + i % 9) + ":2.5\n";
  const File libsvm(".libsvm", text);
  const Table whole = read_table(libsvm.path, {.sparse = true});
  on_ranks(3, [&](int) {
    const RowPart part = RowPart::of_rank(1300);
    EXPECT_EQ(read_table(npy.path, {.in_parts = true}).x, x.middleRows(part.first, part.count));
    const Table sparse = read_table(libsvm.path, {.sparse = true, .in_parts = true});
    ASSERT_TRUE(sparse.sparse);
    EXPECT_EQ(sparse.sparse->dense(), whole.sparse->dense().middleRows(part.first, part.count));
    EXPECT_EQ(sparse.names, whole.names);
    EXPECT_EQ(class_labels(sparse.labels, "it").classes, class_labels({"0", "1"}, "it").classes);
    const Table dense = read_table(libsvm.path, {.in_parts = true});
    EXPECT_EQ(dense.x, whole.sparse->dense().middleRows(part.first, part.count));
  });
}

TEST(Ranks, ARegressionHasTheSameExpectationsAndMinibatches) {
  const Index n = 3000, d = 5;
  const Matrix x = Draws(4, 0).normals(0, n, d);
  const Vector y = (Draws(4, 1).uniforms(0, n, 1).array() < 0.4).cast<double>();
  const RegressionPriors priors{std::vector<CoefficientPrior>(std::size_t(d))};
  const RegressionTarget whole(x, {y, {}, {}}, likelihood("logistic"), priors);
  const Vector mean = Draws(4, 2).normals(0, d, 1);
  const Matrix covariance = 0.1 * Matrix::Identity(d, d), thetas = Draws(4, 3).normals(0, d, 7);
  const std::vector<Index> batch = {2999, 3, 3, 1024};
  const Expectation expected = whole.expectation(mean, covariance);
  Matrix gradients(d, 7), of_batch(d, 7);
  const Vector values = whole.log_density(thetas, gradients);
  whole.subset(batch).log_density(thetas, of_batch);
  for (const int ranks : {2, 3, 5})
    on_ranks(ranks, [&](int) {
      const RowPart part = RowPart::of_rank(n);
      const RegressionTarget mine({x.middleRows(part.first, part.count), part},
                                  {y.segment(part.first, part.count), {}, {}},
                                  likelihood("logistic"), priors);
      EXPECT_EQ(mine.rows(), n);
      const Expectation found = mine.expectation(mean, covariance);
      EXPECT_EQ(found.value, expected.value);
      EXPECT_EQ(found.gradient, expected.gradient);
      EXPECT_EQ(found.hessian, expected.hessian);
      Matrix slopes(d, 7);
      EXPECT_EQ(mine.log_density(thetas, slopes), values);
      EXPECT_EQ(slopes, gradients);
      EXPECT_EQ(mine.mean_hessian(thetas), whole.mean_hessian(thetas));
      mine.subset(batch).log_density(thetas, slopes);
      EXPECT_EQ(slopes, of_batch);
    });
}

}  // namespace
}  // namespace fisherman::core_ranks_test
