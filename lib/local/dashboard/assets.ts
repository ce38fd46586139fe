/** The style of the local providers' pages, of the sign-in pages and of chat messages. */
export const pageStyle = `
  :root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif }
  body { max-width: 70rem; margin: 0 auto; padding: 1rem }
  header, .row { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center }
  nav a { margin-right: .75rem }
  section { margin: 2rem 0 }
  a { color: light-dark(#1d4ed8, #93b4ff) }
  h2 { border-bottom: 1px solid #8886; padding-bottom: .25rem }
  article { border: 1px solid #8884; border-radius: .4rem; padding: .6rem .9rem; margin: .6rem 0; overflow-wrap: anywhere }
  iframe { width: 100%; height: 22rem; border: 1px solid #8884; background: #fff }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid #8884; vertical-align: top }
  pre { white-space: pre-wrap; margin: .3rem 0; max-height: 20rem; overflow: auto }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem }
  dd { margin: 0 }
  .message { border-left: 4px solid #69c; padding-left: .8rem }
  .small, time { opacity: .7; font-size: .85em }
  .button { display: inline-block; border: 1px solid #8888; border-radius: .3rem; padding: .1rem .6rem; margin-right: .4rem }
  .bad { color: #c33 }
`
