import { type Html, html, toHtml } from './html.ts'

interface HtmlPage {
  title: string
  stylesheet: string
  /** The content of the body. It ends with a line break. */
  body: Html
  /** Whether the page shows images that it contains as `data:` URLs. */
  hasImages?: boolean
}

/** Return a whole HTML page in English that loads nothing and has no scripts. */
export function writeHtmlPage({ title, stylesheet, body, hasImages = false }: HtmlPage): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${toHtml(`default-src 'none'; style-src 'unsafe-inline'${hasImages ? '; img-src data:' : ''}`)}">
<title>${title}</title>
<style>${toHtml(stylesheet)}</style>
</head>
<body>
${body}</body>
</html>
`)
}
