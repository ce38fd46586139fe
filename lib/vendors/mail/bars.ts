import { type Html, html } from '#rules/text/html.ts'

/**
 * A chart whose bars are cells of a table, because mail programs show no SVG:
 * https://www.caniemail.com/features/html-svg/
 */
export interface Bars {
  title: string
  rows: readonly { label: string; value: number }[]
  /** The value that fills the width. Charts with the same one can be compared. */
  end: number
}

/**
 * Render a chart. The class `bar` colours the bars in dark mode. `font` is a style; each cell has it, because
 * Outlook gives none to a table.
 */
export function renderBars({ title, rows, end }: Bars, colour: string, font: string): Html {
  const lines = rows.map(({ label, value }) => {
    const share = Math.round((value / end) * 100)
    const filled =
      value > 0 &&
      html`<td class="bar" width="${share}%" height="14" bgcolor="${colour}" style="height:14px;font-size:1px;background-color:${colour}"></td>`
    const bar = html`<table role="presentation" width="100%" style="border-collapse:collapse"><tr>${filled}<td style="font-size:1px"></td></tr></table>`
    return html`<tr><th scope="row" dir="auto" style="padding:2px 12px 2px 0;text-align:left;${font};font-weight:400">${label}</th><td style="width:100%">${bar}</td><td dir="auto" style="padding-left:12px;text-align:right;${font}">${value}</td></tr>`
  })
  const caption = html`<caption dir="auto" style="padding:0 0 4px;text-align:left;${font};font-weight:600">${title}</caption>`
  return html`<table style="margin:0 0 20px;width:100%;border-collapse:collapse">${caption}${lines}</table>`
}

/** Write a chart as lines of text. */
export function writeBarsAsText({ title, rows }: Bars): string {
  return `${title}\n${rows.map(({ label, value }) => `${label}: ${value}`).join('\n')}`
}
