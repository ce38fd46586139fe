import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { type Html, renderChatPreview } from './chat.ts'
import { framePolicy, requireThisMachine } from './dashboard.ts'
import type { Preview } from './previews.ts'

/**
 * Create the routes of the previews: `/desk/previews` is the page, `/desk/previews.json` the list, and
 * `/desk/previews/{id}` one message as the recipient sees it, `?part=text` as plain text. `?colour=0f766e` is
 * the colour of the account.
 */
export function createPreviewRoutes(): Hono {
  const app = new Hono()
  for (const path of ['/desk/previews', '/desk/previews.json', '/desk/previews/*'])
    app.use(path, requireThisMachine)
  app.get('/desk/previews.json', async (c) =>
    c.json((await list(readColour(c))).map(({ id, title, kind }) => ({ id, title, kind }))),
  )
  app.get('/desk/previews', async (c) => {
    const policy =
      "default-src 'none'; style-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'"
    return c.html(renderPage(await list(), readColour(c)), 200, { 'content-security-policy': policy })
  })
  app.get('/desk/previews/:id', async (c) => {
    const preview = (await list(readColour(c))).find(({ id }) => id === c.req.param('id'))
    if (!preview) return c.json({ error: 'No such preview.' }, 404)
    if (preview.kind === 'chat')
      return c.html(renderChatPreview(preview), 200, { 'content-security-policy': framePolicy })
    if (c.req.query('part') === 'text') return c.text(preview.text)
    return c.html(preview.html, 200, { 'content-security-policy': framePolicy })
  })
  return app
}

// The code that writes the messages is loaded on first use, because few runs show previews.
async function list(colour: string | null = null): Promise<Preview[]> {
  return (await import('./previews.ts')).listPreviews(colour)
}

/** Read the colour of the query, six hexadecimal digits. Return null for any other text. */
function readColour(c: Context): string | null {
  const colour = c.req.query('colour')?.replace('#', '').toLowerCase() ?? ''
  return /^[0-9a-f]{6}$/.test(colour) ? `#${colour}` : null
}

function renderPage(previews: readonly Preview[], colour: string | null): Html {
  const query = colour ? `?colour=${colour.slice(1)}` : ''
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><meta name="color-scheme" content="light dark" /><title>Previews</title>
<link rel="stylesheet" href="/desk/style.css" /><link rel="stylesheet" href="/desk/source/local/dashboard/page/style.css" /></head>
<body>
<header><h1><a href="/">Local dashboard</a></h1> Previews of e-mails and cards
<form class="row"><label>Colour of the account <input type="color" name="colour" value="${colour ?? '#1d4ed8'}" /></label> <button>Show</button></form></header>
<nav aria-label="Previews">${previews.map(
    ({ id, title, kind }) =>
      html`<div class="row"><a href="/desk/previews/${id}${query}" target="preview">${title}</a>${kind === 'mail' ? html`<a class="small" href="/desk/previews/${id}?part=text" target="preview" aria-label="${title} as text">text</a>` : ''}</div>`,
  )}</nav>
<main><iframe name="preview" title="Preview" src="/desk/previews/${previews[0]?.id ?? ''}${query}"></iframe></main>
</body></html>`
}
