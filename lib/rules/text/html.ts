import { raw, html as writeHtml } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/**
 * HTML in which every text was escaped. `String(…)` returns it as a text. An object, so it is never falsy,
 * even if it is empty.
 */
export type Html = HtmlEscapedString
type HtmlValue = Html | string | number | false | undefined | readonly HtmlValue[]

/**
 * Write HTML. Texts are escaped, lists are joined, and `false` and `undefined` write nothing. No value is a
 * promise, so the result is none.
 */
export const html = writeHtml as (parts: TemplateStringsArray, ...values: HtmlValue[]) => Html

/** Take a text as HTML. Only for what the code itself contains, such as a style sheet. */
export const toHtml = (text: string): Html => raw(text)

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
