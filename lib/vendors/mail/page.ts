import type { Released } from '#rules/audience.ts'
import { html } from '#rules/text/html.ts'

interface Page {
  title: string
  text: string
  /** The label of a button that sends a POST to the address of the page. */
  button?: string
}

/** Render a page for somebody who followed a link of an e-mail. */
export function renderPage({ title, text, button }: Released<Page>): string {
  const form =
    button &&
    html`<form method="post"><button dir="auto" style="font:inherit;padding:8px 16px">${button}</button></form>`
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${title}</title>`
  return String(
    html`<!doctype html><html lang="en"><head>${head}</head><body style="max-width:36em;margin:3em auto;padding:0 1em;font:16px/1.5 system-ui,sans-serif"><h1 dir="auto">${title}</h1><p dir="auto">${text}</p>${form}</body></html>`,
  )
}
