import { html } from 'hono/html'
import type { Html } from './chat.ts'

/**
 * The page on which a person gives an MCP client access. A real frontend has a signed-in person already; here
 * the person signs in first.
 */
export const consentForm: Html = html`<form id="sign-in">
<p>A program asks for access. Sign in to see which.</p>
<p><label>E-mail <input name="email" type="email" value="engineer@northwind.example" size="40" /></label></p>
<p><label>Password <input name="password" type="password" size="40" /></label></p>
<p class="row"><button>Sign in</button></p>
</form>
<form id="consent" hidden>
<p><strong id="program"></strong> wants to act as you. It continues at <strong id="address"></strong>. Anybody can choose a name: agree only if you started this yourself.</p>
<fieldset id="scopes"><legend>It may</legend></fieldset>
<p class="row"><button>Allow</button></p>
</form>
<p id="status"></p>`

/**
 * Texts of the program are inserted as text, never as markup. The scopes come from the URL. The person ticks
 * those that change something themselves, and may take others away.
 */
export const consentScript = `
  const query = Object.fromEntries(new URLSearchParams(location.search))
  const find = (selector) => document.querySelector(selector)
  let headers = { 'content-type': 'application/json' }
  const call = async (method, path, body) => readBody(await fetch(api + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }))
  const addScope = ({ scope, title, is_preselected }) => {
    const box = Object.assign(document.createElement('input'), { type: 'checkbox', value: scope, checked: is_preselected })
    const label = document.createElement('label')
    label.append(box, ' ' + title)
    find('#scopes').append(label, document.createElement('br'))
  }
  const onSubmit = (selector, work) => find(selector).addEventListener('submit', (event) => {
    event.preventDefault()
    work(event.target).catch((error) => showStatus(error.message))
  })
  onSubmit('#sign-in', async (form) => {
    const { access_token } = await call('POST', '/auth/login', Object.fromEntries(new FormData(form)))
    headers = { ...headers, authorization: 'Bearer ' + access_token }
    const asked = new URLSearchParams({ scope: query.scope })
    const program = await call('GET', '/auth/oauth-clients/' + encodeURIComponent(query.client_id) + '?' + asked)
    find('#program').textContent = program.name
    // Not every registered address: a program may list well-known hosts beside the one that gets the code.
    const { protocol, host, pathname } = new URL(query.redirect_uri)
    find('#address').textContent = protocol + '//' + host + pathname
    for (const scope of program.scopes) addScope(scope)
    find('#sign-in').hidden = true
    find('#consent').hidden = false
  })
  onSubmit('#consent', async () => {
    const { client_id, redirect_uri, code_challenge, state } = query
    const scopes = [...document.querySelectorAll('#scopes input:checked')].map(({ value }) => value)
    const body = { client_id, redirect_uri, code_challenge, scopes, ...(state === undefined ? {} : { state }) }
    location.assign((await call('POST', '/auth/consents', body)).redirect_to)
  })
`
