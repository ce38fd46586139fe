/**
 * The style sheet of every page: that of staff, and those of `npm start`.
 * `lib/local/dashboard/page/style.css` adds the layout of the dashboard.
 */
export const pageStyle = `:root {
  color-scheme: light dark;
  font: 15px / 1.45 system-ui, sans-serif;
  --text: light-dark(#1b1d21, #eceef2);
  --line: light-dark(#d4d7dd, #3a3f48);
  --muted: light-dark(#565d69, #a9b1be);
  --accent: light-dark(#1d4ed8, #93b4ff);
  --selected: light-dark(#e5ecfd, #232d45);
  --bad: light-dark(#b3261e, #ff9a92);
  --good: light-dark(#146c36, #7ddf9f);
  --page: light-dark(#fff, #16181d);
  --panel: light-dark(#f5f6f8, #1d2026);
}
* { box-sizing: border-box; }
body { max-width: 64rem; margin: 0 auto; padding: 1rem; color: var(--text); background: var(--page); }
h1 { font-size: 1.3rem; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.1rem; }
a { color: var(--accent); }
header, .row { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; margin: 0.5rem 0; }
input, select, button, .button { min-height: 2rem; max-width: 100%; padding: 0 0.6rem; font: inherit; color: inherit; background: var(--page); border: 1px solid var(--muted); border-radius: 5px; }
button { cursor: pointer; }
.button { display: inline-block; text-decoration: none; }
[type='checkbox'] { min-height: 0; }
fieldset, article { padding: 0.6rem 0.9rem; border: 1px solid var(--line); border-radius: 6px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
/* Shadows show on which side the table goes on: the lids scroll with it, and the shadows do not. */
.table { overflow-x: auto; background: linear-gradient(to right, var(--page) 60%, transparent) 0 / 3rem 100% local, linear-gradient(to left, var(--page) 60%, transparent) 100% / 3rem 100% local, linear-gradient(to right, var(--muted), transparent) 0 / 0.6rem 100%, linear-gradient(to left, var(--muted), transparent) 100% / 0.6rem 100%; background-repeat: no-repeat; }
.table td:has(button) { position: sticky; right: 0; background: var(--page); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.3rem 0.5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
.table :is(th, td) { white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 0.8rem; margin: 0; }
dd { min-width: 0; margin: 0; }
pre { padding: 0.6rem; margin: 0 0 0.75rem; white-space: pre-wrap; background: var(--panel); border-radius: 6px; }
iframe { width: 100%; height: 65vh; border: 1px solid var(--line); }
.message { padding-left: 0.8rem; border-left: 4px solid var(--accent); }
.small, time { font-size: 0.85em; color: var(--muted); }
.bad, .failed, [role='alert'] { color: var(--bad); }
.good, .ok, [role='status'] { color: var(--good); }
`
