/** The style sheet of the operations page. */
export const style = `:root {
  color-scheme: light dark;
  font: 16px / 1.5 system-ui, sans-serif;
  --line: light-dark(#c9cdd4, #3a3f48);
  --bad: light-dark(#b3261e, #ff9a92);
  --good: light-dark(#146c36, #7ddf9f);
}
body { margin: 0; background: light-dark(#fff, #16181d); color: light-dark(#1b1d21, #eceef2); }
main { max-width: 64rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.1rem; }
a { color: light-dark(#1d4ed8, #93b4ff); }
.table { overflow-x: auto; }
table { border-collapse: collapse; min-width: 100%; }
th, td { padding: 0.4rem 0.8rem 0.4rem 0; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
label { display: block; }
input { box-sizing: border-box; width: 100%; max-width: 32rem; padding: 0.5rem; font: inherit; }
button { min-height: 2rem; padding: 0.25rem 0.75rem; font: inherit; }
[role='alert'], .failed { color: var(--bad); }
[role='status'], .ok { color: var(--good); }
`
