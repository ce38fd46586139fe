const otherLanguages = 'c clojure csharp dart fsharp go http java js julia kotlin node objc ocaml php powershell r ruby rust swift'.split(
  ' ',
)

// The page uses nothing outside its own origin, and it forgets the token when it is left.
const configuration = {
  // The same document as /openapi.json, with examples and code samples.
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  persistAuth: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  hideModels: true,
  defaultOpenAllTags: false,
  operationTitleSource: 'summary',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  // Curl, Python's requests and the typed client, whose samples are in the document.
  hiddenClients: {
    ...Object.fromEntries(otherLanguages.map((language) => [language, true])),
    python: ['python3', 'aiohttp', 'httpx_sync', 'httpx_async'],
    shell: ['wget', 'httpie'],
  },
}

const reference = window.Scalar.createApiReference('#reference', configuration)

/** Show the sign-in of the demo users. Only a local service has them. */
async function showDemoUsers() {
  const people = await (await fetch('demo.json')).json()
  if (people.length === 0) return
  const form = document.querySelector('#demo')
  const select = form.querySelector('select')
  select.append(...people.map(({ email, description }) => new Option(`${email} (${description})`, email)))
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    signIn(
      people.find(({ email }) => email === select.value),
      form.querySelector('output'),
    )
  })
}

/** Sign in as a demo user, and send the access token with the requests of this page. */
async function signIn({ email, password }, output) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch('../api/v1/auth/login', { method: 'POST', headers, body: JSON.stringify({ email, password }) })
  const { access_token: token, detail } = await response.json()
  if (token) {
    const place = location.hash
    reference.updateConfiguration({
      ...configuration,
      authentication: { preferredSecurityScheme: 'bearer', securitySchemes: { bearer: { token } } },
    })
    history.replaceState(null, '', place)
  }
  output.textContent = token ? `Requests of this page are sent as ${email}.` : `${response.status}: ${detail}`
}

await showDemoUsers()
