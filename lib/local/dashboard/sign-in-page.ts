import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { html, raw } from 'hono/html'
import { pageStyle } from '#http/page-style.ts'
import type { Html } from './chat.ts'
import { chatLinkForm, chatLinkScript } from './chat-link-page.ts'
import { consentForm, consentScript } from './consent-page.ts'

/**
 * Create the frontend pages that other services redirect to: the start page and the callback of a sign-in
 * through an identity provider, and the pages on which a person gives an MCP client access, or links their user
 * of a chat tool.
 */
export function createSignInRoutes(api: string): Hono {
  const app = new Hono()
  app.get('/sign-in', (c) => sendPage(c, api, renderStart(c.req.query('code') ?? ''), startScript))
  for (const path of ['/oauth/:provider/callback', '/oauth/sso/:connection/callback'])
    app.get(path, (c) =>
      sendPage(c, api, html`<p id="status">Signing in…</p><pre id="user"></pre>`, callbackScript),
    )
  app.get('/oauth/consent', (c) => sendPage(c, api, consentForm, `${sharedScript}${consentScript}`))
  app.get('/chat-link', (c) => sendPage(c, api, chatLinkForm, `${sharedScript}${chatLinkScript}`))
  return app
}

function sendPage(c: Context, api: string, body: Html, script: string): Response | Promise<Response> {
  const nonce = randomUUID()
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src ${api}; frame-ancestors 'none'`
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>Sign in</title><style>${raw(pageStyle)}</style></head>
<body data-api="${api}/api/v1"><header><h1>Sign in</h1></header>
${body}
<script nonce="${nonce}">${raw(script)}</script>
</body></html>`
  // The URL of the callback contains the code.
  return c.html(page, 200, { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
}

function renderStart(code: string): Html {
  return html`<p>A minimal frontend: it sends you to a provider and posts the returned code to the API.</p>
<p><label>Invite code, if you have one <input id="code" size="50" value="${code}" /></label></p>
<p class="row"><button data-provider="google">Sign in with the local Google</button><button data-provider="microsoft">Sign in with the local Microsoft</button></p>
<p class="row"><input id="email" type="email" placeholder="e-mail at your organisation" /><button data-provider="sso">Sign in at your organisation</button></p>
<p id="status"></p>`
}

const sharedScript = `
  const api = document.body.dataset.api
  const showStatus = (text) => { document.querySelector('#status').textContent = text }
  const readBody = async (response) => {
    const body = await response.json()
    if (!response.ok) throw new Error(response.status + ' ' + (body.code ?? '') + ' ' + body.detail)
    return body
  }
`

/** The state is stored for this tab only, so that a link from elsewhere cannot provide one. */
const startScript = `${sharedScript}
  addEventListener('click', async ({ target }) => {
    const { provider } = target.dataset
    if (!provider) return
    try {
      const email = document.querySelector('#email').value.trim()
      const { authorization_url, state } = await readBody(provider === 'sso'
        ? await fetch(api + '/auth/sso/authorize', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ email }) })
        : await fetch(api + '/auth/oauth/' + provider + '/authorize'))
      sessionStorage.setItem('sign-in', JSON.stringify({ state, code: document.querySelector('#code').value.trim() }))
      location.assign(authorization_url)
    } catch (error) { showStatus(error.message) }
  })
`

const callbackScript = `${sharedScript}
  const parameters = new URLSearchParams(location.search)
  const stored = JSON.parse(sessionStorage.getItem('sign-in') ?? 'null')
  sessionStorage.removeItem('sign-in')
  history.replaceState(null, '', location.pathname)
  const finish = async () => {
    if (parameters.get('error')) return showStatus('The provider returned ' + parameters.get('error') + '.')
    if (!stored || stored.state !== parameters.get('state')) return showStatus('This sign-in was not started in this tab. Start at /sign-in.')
    const body = { code: parameters.get('code'), state: parameters.get('state'), ...(stored.code ? { account_invite_code: stored.code } : {}) }
    const headers = { 'content-type': 'application/json' }
    const path = '/auth' + location.pathname.replace('/oauth/sso/', '/sso/')
    const { user } = await readBody(await fetch(api + path, { method: 'POST', headers, body: JSON.stringify(body) }))
    showStatus('Signed in as ' + user.full_name + ', ' + user.role + ' of ' + user.account_name + '.')
    document.querySelector('#user').textContent = JSON.stringify(user, null, 2)
  }
  finish().catch((error) => showStatus(error.message))
`
