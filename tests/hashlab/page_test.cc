// SPDX-License-Identifier: BSD-3-Clause
// The page of a report in a headless Chromium: that it makes no complaint, draws its plots, shows names as
// text, fits a phone, and asks nobody for anything. A page around it, in which it is a frame, looks at its
// canvases and widths.
#include "hashlab/page.h"

#include <gtest/gtest.h>

#include "hashlab/sample_report.h"
#include "hashlab/show.h"
#include "system/program.h"

namespace {

using hashlab::Report;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Says of a page how wide it is once it has become as narrow as a phone, how many of its canvases have more
// colours than a frame and letters, and what its first two plots tell of the place that is pointed at, a
// quarter from the left.
constexpr const char* kAround =
    R"(<!DOCTYPE html><title>around</title><iframe width="500" height="9000" style="border:0"
src="page.html"></iframe><p id="seen"></p><p id="told"></p><script>
addEventListener("load", () => {
  const frame = document.querySelector("iframe"), { contentDocument: page, contentWindow: window } = frame;
  const canvases = [...page.querySelectorAll("canvas")], charts = canvases.map(canvas => window.Chart.getChart(canvas));
  for (const { canvas, chartArea: { left, right, top, bottom } } of charts) {
    const box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new window.MouseEvent("mousemove", { bubbles: true, clientX: box.left + left + (right - left) / 4 + 9,
      clientY: box.top + (top + bottom) / 2 }));
  }
  setTimeout(() => {
    const colors = canvases.map(canvas => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
    document.getElementById("told").textContent = charts.slice(0, 2).map(({ tooltip: { title, body } }) =>
      [...title, ...body.flatMap(one => one.lines)].join("; ")).join(" | ");
    frame.width = 320;
    document.getElementById("seen").textContent = "width " + page.documentElement.scrollWidth + ", drawn " +
      colors.filter(count => count > 3).length + " of " + colors.length;
  }, 500);
});
</script>)";

class Page : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null") != 0) GTEST_SKIP() << "chromium is not there";
  }
  // The elements of a file of the folder after some virtual seconds, and on stderr what it said to the
  // console.
  test_support::Ended show(const std::string& file, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"--headless",
                                      "--no-sandbox",
                                      "--disable-gpu",
                                      "--disable-dev-shm-usage",
                                      "--disable-background-networking",
                                      "--no-first-run",
                                      "--user-data-dir=" + (folder_.path() / "profile").string(),
                                      "--enable-logging=stderr",
                                      "--virtual-time-budget=3000",
                                      "--dump-dom"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back("file://" + (folder_.path() / file).string());
    return test_support::Process("chromium", words, {folder_.path(), {{"HOME", folder_.path().string()}}})
        .wait();
  }
  void write(const std::string& file, const std::string& content) const {
    hashlab::write_file(folder_.path() / file, content);
  }

 private:
  system_test::TempFolder folder_;
};

TEST_F(Page, ShowsAllOfAReport) {
  write("page.html", hashlab::page_of(hashlab_test::sample_report()));
  const test_support::Ended ended = show("page.html");
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_FALSE(has(ended.err, "CONSOLE")) << ended.err;
  const size_t body = ended.out.find("<main");
  ASSERT_NE(body, std::string::npos);
  const std::string seen = ended.out.substr(body, ended.out.find("</main>") - body);
  for (const char* part : {
           "As even as so many flows can be.",
           "<dt>max/mean</dt><dd class=\"value\">1.250</dd><dd class=\"remark soft\">ideal: 1.10 to "
           "1.21</dd>",
           "<dt>key</dt><dd class=\"value\">0x00006d5a</dd>",
           "<td class=\"number\">1,234,567</td><td class=\"number\">25.1 %</td><td "
           "class=\"number\">1.004</td>",
           "<td class=\"sentence\">a,b \"c\" &lt;/script&gt;&lt;b&gt;d&lt;/b&gt; &amp; &lt;!-- é\ne</td>",
           "aria-label=\"Packets by queue: bars, 4 by 2. jenkins: 91 to 110 packets.",
           "aria-label=\"max/mean over 1,000 seeds: histogram of max/mean from 1 to 1.4. jenkins, crc32c. "
           "seed 0: 1.27\"",
           "style=\"--shade: 1;\">4.00</td>",  // beyond the worst
           "<td class=\"number\">-</td><td class=\"number\" style=\"--shade: 0.5;\">1.50</td>",  // none; half
                                                                                                 // way
           "best, 1.00<span class=\"scale\"></span>worst, 2.00 or more",
           "src_ip,<wbr>dst_ip<wbr></th>",
           "table bucket 3 to nic1 queue 0\nshow table</pre>",
           "<li>Three packets were left out.</li>",
       }) {
    EXPECT_TRUE(has(seen, part)) << part << "\nis not in\n" << seen;
  }
  EXPECT_FALSE(has(seen, "<b>")) << "a name became an element";
  EXPECT_FALSE(has(seen, "NaN"));
  EXPECT_FALSE(has(seen, "undefined"));
  EXPECT_TRUE(has(ended.out, "<title>Spread of a,b \"c\" &lt;/script&gt;")) << ended.out.substr(0, 4000);
}

TEST_F(Page, DrawsItsPlotsAndFitsAPhone) {
  Report report = hashlab_test::sample_report();
  hashlab::Bars lying = hashlab_test::bars(), one = hashlab_test::bars();
  lying.labels = {"src_ip,dst_ip,src_port,dst_port", "b", "c", "d"};
  one.labels.resize(1);
  one.series = {{"only", {1}}};
  one.low = one.high = {};
  report.plots.insert(report.plots.end(), {lying, one});
  report.title += " " + std::string(200, 'x');  // a word that is too long for any phone
  report.verdicts.emplace_back(200, 'x');
  report.commands.emplace_back(200, 'x');
  report.facts.push_back(
      {{"file", std::string(100, 'x'), hashlab::Form::text, 0}, std::string(100, 'y'), "z"});
  write("page.html", hashlab::page_of(report));
  write("around.html", kAround);
  for (const char* scheme : {"0", "1"}) {  // dark, light
    const test_support::Ended ended =
        show("around.html", {"--allow-file-access-from-files", "--hide-scrollbars",
                             "--blink-settings=preferredColorScheme=" + std::string(scheme)});
    EXPECT_TRUE(has(ended.out, "<p id=\"seen\">width 320, drawn 4 of 4</p>")) << ended.out;
    EXPECT_TRUE(has(ended.out,
                    "<p id=\"told\">0/1; jenkins: 95 packets; a,b \"c\" &lt;/script&gt;&lt;b&gt;d&lt;/b&gt; "
                    "&amp; &lt;!-- "
                    "é\ne: 0 packets; 5 to 95 % of ideal draws: 86 to 115 packets | "
                    "max/mean 1.1 to 1.2; jenkins: 50 %; crc32c: 60 %</p>"))
        << ended.out;
    EXPECT_FALSE(has(ended.err, "CONSOLE")) << ended.err;
  }
}

TEST_F(Page, OfNothingIsItsTitle) {
  Report report;
  report.title = "Nothing";
  write("page.html", hashlab::page_of(report));
  const test_support::Ended ended = show("page.html");
  EXPECT_FALSE(has(ended.err, "CONSOLE")) << ended.err;
  EXPECT_TRUE(has(ended.out, "<h1 id=\"title\">Nothing</h1>"));
  EXPECT_FALSE(has(ended.out, "<section class"));
}

// One file: only its own scripts and style may run, by their hashes, and nothing in it is fetched.
TEST(PageText, AsksNobody) {
  const std::string page = hashlab::page_of(hashlab_test::sample_report());
  EXPECT_TRUE(has(page, "content=\"default-src 'none'; script-src 'sha256-")) << page.substr(0, 4000);
  EXPECT_FALSE(has(page, "unsafe-inline"));
  EXPECT_FALSE(has(page, "src="));
  EXPECT_FALSE(has(page, "@import"));
  EXPECT_FALSE(has(page, "url("));
  for (size_t at = page.find("href="); at != std::string::npos; at = page.find("href=", at + 1))
    EXPECT_EQ(page.substr(at, 13), "href=\"data:,\"");
  EXPECT_TRUE(has(page, "Chart.js v3.9.1")) << "its licence header stays";
  EXPECT_TRUE(has(page, "Released under the MIT License"));
  EXPECT_FALSE(has(page, "{{")) << "a place was not filled: " << page.substr(page.find("{{"), 40);
}

// What would end the data or the title early is written otherwise.
TEST(PageText, KeepsNamesInsideTheirPlace) {
  const std::string page = hashlab::page_of(hashlab_test::sample_report());
  EXPECT_TRUE(has(page, "Spread of a,b \\\"c\\\" \\u003c/script>\\u003cb>d\\u003c/b> & \\u003c!-- é\\ne"));
  EXPECT_TRUE(has(page, "<title>Spread of a,b \"c\" &lt;/script>&lt;b>d&lt;/b> &amp; &lt;!-- é\ne</title>"));
  EXPECT_FALSE(has(page, "<b>d"));
}

// A title may hold a place's name.
TEST(PageText, FillsItsPlacesOnce) {
  Report report;
  report.title = "{{report}} {{title}}";
  const std::string page = hashlab::page_of(report);
  EXPECT_TRUE(has(page, "<title>{{report}} {{title}}</title>"));
  EXPECT_TRUE(has(page, "id=\"report\">{\"command\":\"\",\"title\":\"{{report}} {{title}}\""));
}

}  // namespace
