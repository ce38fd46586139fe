import * as z from 'zod'
import { AnswerTooLongError, type Fetch } from '#vendors/net/bounded-fetch.ts'
import { readAnswer } from '#vendors/net/read-answer.ts'
import { clockToleranceSeconds, isEndpoint, OidcFailure } from './oidc.ts'
import type { SsoCheck, SsoSettings } from './sso.ts'

/** The algorithms of signatures that a sign-in accepts: those with a public key. */
const algorithms = ['RS', 'PS', 'ES', 'Ed'].map((name) => new RegExp(`^${name}`))
const maxShown = 200

const Texts = z.array(z.string()).optional().catch(undefined)
const Discovery = z.looseObject({
  issuer: z.unknown().optional(),
  authorization_endpoint: z.unknown().optional(),
  token_endpoint: z.unknown().optional(),
  jwks_uri: z.unknown().optional(),
  id_token_signing_alg_values_supported: Texts,
  token_endpoint_auth_methods_supported: Texts,
  code_challenge_methods_supported: Texts,
  scopes_supported: Texts,
})
type Discovery = z.infer<typeof Discovery>
const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })
const Refusal = z.object({ error: z.string() })

/** Ask a provider for all that a sign-in needs, without a person. */
export async function checkProvider(
  settings: SsoSettings,
  redirectUri: string,
  fetchGuarded: Fetch,
): Promise<SsoCheck> {
  const url = `${settings.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await ask(fetchGuarded, url, 'The discovery document')
  if (typeof answer === 'string') return { problems: [answer], warnings: [] }
  const { success, data: document } = Discovery.safeParse(answer.body)
  if (!success) return { problems: ['The discovery document is no JSON object'], warnings: [] }
  const problems = [...findClockProblem(answer.date), ...findDocumentProblems(settings.issuer, document)]
  if (problems.length === 0)
    problems.push(
      ...(await findKeyProblems(fetchGuarded, document)),
      ...(await findClientProblems(settings, redirectUri, fetchGuarded, document)),
    )
  return { problems, warnings: findWarnings(settings, document) }
}

interface Answer {
  body: unknown
  date: string | null
}

/** Return the JSON of an answer, or what is wrong with it. */
async function ask(fetchGuarded: Fetch, url: string, what: string): Promise<Answer | string> {
  try {
    const response = await fetchGuarded(url, { headers: { accept: 'application/json' } })
    if (response.status !== 200) {
      await response.body?.cancel().catch(() => undefined)
      return response.status >= 300 && response.status < 400
        ? `${what} redirects; enter the issuer that it redirects to`
        : `${what} answered ${response.status} at ${show(url)}`
    }
    return { body: await readAnswer(response), date: response.headers.get('date') }
  } catch (error) {
    return `${what} ${describeFailure(error)}`
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof OidcFailure) return `cannot be called. ${error.message}`
  if (error instanceof AnswerTooLongError) return 'is too large'
  if (error instanceof SyntaxError) return 'is no JSON'
  return error instanceof Error && error.name === 'TimeoutError'
    ? 'did not arrive within 8 seconds'
    : 'is unreachable; check the issuer'
}

function findClockProblem(date: string | null): string[] {
  const seconds = date ? (Date.parse(date) - Date.now()) / 1000 : 0
  if (!(Math.abs(seconds) > clockToleranceSeconds)) return []
  const direction = seconds > 0 ? 'ahead of' : 'behind'
  return [
    `The clock of the provider is ${Math.round(Math.abs(seconds))} seconds ${direction} ours, so that its tokens are refused`,
  ]
}

function findDocumentProblems(issuer: string, document: Discovery): string[] {
  const problems: string[] = []
  if (document.issuer !== issuer)
    problems.push(
      `The document is of the issuer ${show(document.issuer)}, not ${show(issuer)}; both must be the same, also a slash at the end`,
    )
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
    if (document[name] === undefined) problems.push(`The document has no ${name}`)
    else if (!isEndpoint(document[name], issuer)) problems.push(`The ${name} must be an https address`)
  const signing = document.id_token_signing_alg_values_supported
  if (signing && !signing.some((name) => algorithms.some((pattern) => pattern.test(name))))
    problems.push(
      `The provider signs with ${show(signing.join(', '))} only; it must sign with a public key, such as RS256`,
    )
  const methods = document.token_endpoint_auth_methods_supported
  if (methods && !methods.some((name) => name === 'client_secret_post' || name === 'client_secret_basic'))
    problems.push(
      `The provider takes no client secret, only ${show(methods.join(', '))}; allow client_secret_post`,
    )
  return problems
}

async function findKeyProblems(fetchGuarded: Fetch, { jwks_uri }: Discovery): Promise<string[]> {
  const answer = await ask(fetchGuarded, String(jwks_uri), 'The list of keys')
  if (typeof answer === 'string') return [answer]
  const keys = Keys.safeParse(answer.body).data?.keys ?? []
  return keys.some(({ kty }) => kty !== 'oct') ? [] : ['The list of keys has no public key']
}

/**
 * Redeem a code that nobody has: a provider refuses the client before it looks at the code.
 * https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
async function findClientProblems(
  { clientId, clientSecret }: SsoSettings,
  redirectUri: string,
  fetchGuarded: Fetch,
  document: Discovery,
): Promise<string[]> {
  const methods = document.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const isPost = methods.includes('client_secret_post')
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'check-of-the-connection',
    redirect_uri: redirectUri,
    code_verifier: 'check-of-the-connection-check-of-the-connection',
    ...(isPost ? { client_id: clientId, client_secret: clientSecret } : {}),
  })
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':')
  const headers: Record<string, string> = isPost ? {} : { authorization: `Basic ${btoa(credentials)}` }
  try {
    const response = await fetchGuarded(String(document.token_endpoint), { method: 'POST', headers, body })
    const error = Refusal.safeParse(await readAnswer(response)).data?.error
    return error === 'invalid_client' || error === 'unauthorized_client'
      ? ['The provider refuses the client id or its secret']
      : []
  } catch (error) {
    // An answer that is no JSON says nothing of the client.
    return error instanceof SyntaxError ? [] : [`The token endpoint ${describeFailure(error)}`]
  }
}

function findWarnings({ scopes }: SsoSettings, document: Discovery): string[] {
  const warnings: string[] = []
  const challenges = document.code_challenge_methods_supported
  if (challenges && !challenges.includes('S256'))
    warnings.push('The provider does not say that it checks PKCE with S256')
  const unknown = scopes.filter((name) => document.scopes_supported?.includes(name) === false)
  if (unknown.length > 0) warnings.push(`The provider does not list the scopes ${show(unknown.join(', '))}`)
  return warnings
}

const show = (value: unknown) => String(value).slice(0, maxShown)
