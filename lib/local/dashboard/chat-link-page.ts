import { html } from 'hono/html'
import type { Html } from './chat.ts'

/**
 * The page on which a person links their user of a chat tool. A real frontend has a signed-in person already;
 * here the person signs in first.
 */
export const chatLinkForm: Html = html`<form id="sign-in">
<p>A user of a chat tool asks to be linked. Sign in to see who.</p>
<p><label>E-mail <input name="email" type="email" value="engineer@northwind.example" size="40" /></label></p>
<p><label>Password <input name="password" type="password" size="40" /></label></p>
<p class="row"><button>Sign in</button></p>
</form>
<form id="link" hidden>
<p>The buttons that <strong id="user"></strong> presses will act as you. Agree only if you are this user, and have pressed a button yourself.</p>
<p class="row"><button>Link</button></p>
</form>
<p id="status"></p>`

/** The name of the user is inserted as text, never as markup. */
export const chatLinkScript = `
  const { token } = Object.fromEntries(new URLSearchParams(location.search))
  const find = (selector) => document.querySelector(selector)
  let headers = { 'content-type': 'application/json' }
  const call = async (method, path, body) => readBody(await fetch(api + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }))
  const onSubmit = (selector, work) => find(selector).addEventListener('submit', (event) => {
    event.preventDefault()
    work(event.target).catch((error) => showStatus(error.message))
  })
  onSubmit('#sign-in', async (form) => {
    const { access_token } = await call('POST', '/auth/login', Object.fromEntries(new FormData(form)))
    headers = { ...headers, authorization: 'Bearer ' + access_token }
    find('#user').textContent = (await call('GET', '/auth/chat-links/' + encodeURIComponent(token))).chat_user
    find('#sign-in').hidden = true
    find('#link').hidden = false
  })
  onSubmit('#link', async () => {
    const { chat_user } = await call('POST', '/auth/chat-links', { token })
    find('#link').hidden = true
    showStatus(chat_user + ' is linked. Press the button again.')
  })
`
