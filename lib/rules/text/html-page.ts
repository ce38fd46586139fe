import { escapeHtml } from './html.ts'

interface HtmlPage {
  title: string
  stylesheet: string
  /** The content of the body as HTML. It ends with a line break. */
  body: string
  /** Whether the page shows images that it contains as `data:` URLs. */
  hasImages?: boolean
}

/** Return a whole HTML page in English that loads nothing and has no scripts. */
export function writeHtmlPage({ title, stylesheet, body, hasImages = false }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'${hasImages ? '; img-src data:' : ''}">
<title>${escapeHtml(title)}</title>
<style>${stylesheet}</style>
</head>
<body>
${body}</body>
</html>
`
}
