const otherLanguages =
  'c clojure csharp dart fsharp go http java js julia kotlin node objc ocaml php r ruby rust swift'.split(' ')

// The page uses nothing outside its own origin, and it forgets the token when it is left.
const configuration = {
  // The same document as /openapi.json, with guides, examples and code samples.
  content: await readDocument(),
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
  // Curl, PowerShell, Python's requests and the typed client, whose samples are in the document.
  hiddenClients: {
    ...Object.fromEntries(otherLanguages.map((language) => [language, true])),
    python: ['python3', 'aiohttp', 'httpx_sync', 'httpx_async'],
    shell: ['wget', 'httpie'],
    powershell: ['webrequest'],
  },
}

const people = await (await fetch('demo.json')).json()
const [firstPerson] = people
const reference = window.Scalar.createApiReference('#reference', await configureAs(firstPerson))
if (firstPerson) showPeople()

/** Return the document as text. Its guides name this service by the address of this page. */
async function readDocument() {
  const text = await (await fetch('openapi.json')).text()
  return text.replaceAll('{service_address}', new URL('..', location).href.replace(/\/$/, ''))
}

/** Show the demo users, whom only a local service has. The first one is signed in already, so the first request is answered with data. */
function showPeople() {
  const select = document.querySelector('#person')
  select.append(...people.map(({ email, description }) => new Option(`${email} (${description})`, email)))
  select.addEventListener('change', async () => {
    const place = location.hash
    reference.updateConfiguration(await configureAs(people.find(({ email }) => email === select.value)))
    history.replaceState(null, '', place)
  })
  document.querySelector('#demo').hidden = false
}

/** Return the configuration with which the page sends its requests as this person, or without a token. */
async function configureAs(person) {
  if (!person) return configuration
  const { email, password } = person
  const headers = { 'content-type': 'application/json' }
  const response = await fetch('../api/v1/auth/login', {
    method: 'POST',
    headers,
    body: JSON.stringify({ email, password }),
  })
  const { access_token: token, detail } = await response.json()
  document.querySelector('#demo output').textContent = token
    ? 'is signed in for the requests of this page.'
    : `${response.status}: ${detail}`
  return token
    ? {
        ...configuration,
        authentication: { preferredSecurityScheme: 'bearer', securitySchemes: { bearer: { token } } },
      }
    : configuration
}
