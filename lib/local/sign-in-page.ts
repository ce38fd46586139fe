import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { html, raw } from 'hono/html'
import { deskStyle } from './desk-assets.ts'
import type { Html } from './desk-chat.ts'

/** The two pages of a frontend that a sign-in through an identity provider needs: where it begins, and where the provider sends it back to. */
export function signInRoutes(api: string): Hono {
  const app = new Hono()
  app.get('/sign-in', (c) => show(c, api, beginning(c.req.query('code') ?? ''), beginScript))
  app.get('/oauth/:provider/callback', (c) => show(c, api, html`<p id="said">Signing in…</p><pre id="user"></pre>`, callbackScript))
  return app
}

function show(c: Context, api: string, body: Html, script: string): Response | Promise<Response> {
  const nonce = randomUUID()
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src ${api}; frame-ancestors 'none'`
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>Sign in</title><style>${raw(deskStyle)}</style></head>
<body data-api="${api}/api/v1"><header><h1>Sign in</h1></header>
${body}
<script nonce="${nonce}">${raw(script)}</script>
</body></html>`
  // The address of the callback holds the code.
  return c.html(page, 200, { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
}

function beginning(code: string): Html {
  return html`<p>A frontend in miniature: it sends you to a provider and takes what comes back to the API.</p>
<p><label>Invite code, if you have one <input id="code" size="50" value="${code}" /></label></p>
<p class="row"><button data-provider="google">with the local Google</button><button data-provider="microsoft">with the local Microsoft</button></p>
<p id="said"></p>`
}

const shared = `
  const api = document.body.dataset.api
  const say = (text) => { document.querySelector('#said').textContent = text }
  const answer = async (response) => {
    const body = await response.json()
    if (!response.ok) throw new Error(response.status + ' ' + (body.code ?? '') + ' ' + body.detail)
    return body
  }
`

/** The state stays in this tab, where no link of a stranger's can put one. */
const beginScript = `${shared}
  addEventListener('click', async ({ target }) => {
    const { provider } = target.dataset
    if (!provider) return
    try {
      const { authorization_url, state } = await answer(await fetch(api + '/auth/oauth/' + provider + '/authorize'))
      sessionStorage.setItem('sign-in', JSON.stringify({ state, code: document.querySelector('#code').value.trim() }))
      location.assign(authorization_url)
    } catch (error) { say(error.message) }
  })
`

const callbackScript = `${shared}
  const given = new URLSearchParams(location.search)
  const kept = JSON.parse(sessionStorage.getItem('sign-in') ?? 'null')
  sessionStorage.removeItem('sign-in')
  history.replaceState(null, '', location.pathname)
  const finish = async () => {
    if (given.get('error')) return say('The provider answered ' + given.get('error') + '.')
    if (!kept || kept.state !== given.get('state')) return say('This sign-in did not begin in this tab. Begin at /sign-in.')
    const body = { code: given.get('code'), state: given.get('state'), ...(kept.code ? { account_invite_code: kept.code } : {}) }
    const headers = { 'content-type': 'application/json' }
    const path = '/auth/oauth/' + location.pathname.split('/')[2] + '/callback'
    const { user } = await answer(await fetch(api + path, { method: 'POST', headers, body: JSON.stringify(body) }))
    say('Signed in as ' + user.full_name + ', ' + user.role + ' of ' + user.account_name + '.')
    document.querySelector('#user').textContent = JSON.stringify(user, null, 2)
  }
  finish().catch((error) => say(error.message))
`
