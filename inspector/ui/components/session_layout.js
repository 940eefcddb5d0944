// The elements of the Session page, built once.

function buildSession(root) {
  const story = element("ol", "story");
  const bar = element("div", "bar");
  const filterHost = element("span", "filters");
  const title = element("span", "muted title");
  const limits = element("span", "muted limits");
  const help = element("span", "muted help", "drag selects · double click opens · Ctrl-wheel zooms · Shift-wheel pans");
  const fitButton = element("button", "", "Fit");
  const tableButton = element("button", "", "Show as table");
  const exploreButton = element("button", "", "Explore");
  exploreButton.title = "The same as a figure with layers to switch, to be saved as PNG or SVG";
  bar.append(filterHost, title, limits, help, fitButton, tableButton, exploreButton);

  const rulesHost = element("div", "rules");
  rulesHost.setAttribute("aria-label", "What looks like a rule, an id, an amount or a goal, though nobody pinned it");
  const block = element("div", "block");
  const top = element("div", "top");
  const left = element("div", "left");
  const [legend, labels] = [element("div", "legend"), element("div", "labels")];
  left.append(legend, labels);
  const chartHost = element("div", "chart");
  chartHost.tabIndex = 0;
  chartHost.setAttribute("role", "slider");
  chartHost.setAttribute("aria-label", "Tokens by layer over the calls; arrow keys change the call");
  top.append(left, chartHost);
  const lifeHost = element("div", "lives");
  const tip = element("div", "tip");
  tip.hidden = true;
  block.append(top, lifeHost, tip);

  const tableHost = element("div", "table-host");
  tableHost.hidden = true;
  tableHost.tabIndex = 0; // arrow keys change the call; Page Up and Page Down scroll
  const live = element("div", "visually-hidden live");
  live.setAttribute("aria-live", "polite");
  const main = element("div", "main");
  main.append(story, bar, rulesHost, block, tableHost, live);

  const pane = element("aside", "pane");
  const head = element("div", "head");
  const heading = element("h2", "");
  const openButton = element("button", "", "Open ↵");
  const compareButton = element("button", "", "Compare d");
  head.append(heading, openButton, compareButton);
  const windowHost = element("div", "window");
  const detailHost = element("div", "detail-host");
  pane.append(head, windowHost, detailHost);
  root.append(main, pane);
  return {
    story, title, limits, filterHost, fitButton, tableButton, exploreButton, block, top, legend, labels, chartHost, lifeHost,
    rulesHost, tip, tableHost, live, heading, openButton, compareButton, windowHost, detailHost,
  };
}
