import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import { html, raw } from 'hono/html'
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import * as z from 'zod'
import { pageStyle } from '#http/page-style.ts'
import { createSigningKeys, type SigningKeys } from './identity-keys.ts'
import { renderRefusalPage } from './identity-page.ts'

/** How a provider behaves, for tests of a service that must not trust it. */
const Behaviour = z.object({
  /** Replaces keys of the discovery document; null removes one. */
  discovery: z.record(z.string(), z.unknown()).default({}),
  /** Replaces claims of the ID token; null removes one. Numbers of `iat` and `exp` are added to the present second. */
  claims: z.record(z.string(), z.unknown()).default({}),
  /** `forged` signs with a key that is not published, `none` not at all, `HS256` with the public key. */
  signature: z.enum(['RS256', 'forged', 'none', 'HS256']).default('RS256'),
  /** Claims that are told at the userinfo endpoint only. */
  user_info: z.array(z.string()).default([]),
  /** What the discovery document, the keys, the token or the userinfo endpoint answer instead. */
  answers: z
    .partialRecord(
      z.enum(['discovery', 'keys', 'token', 'userinfo']),
      z.object({
        status: z.int().default(200),
        location: z.string().optional(),
        body: z.string().default('{}'),
        bytes: z.int().default(0),
        delay_ms: z.int().default(0),
        date: z.string().optional(),
      }),
    )
    .default({}),
})
type Behaviour = z.infer<typeof Behaviour>

const Person = z.object({
  email: z.string().max(320).default(''),
  name: z.string().max(400).default(''),
  sub: z.string().max(300).default(''),
  groups: z.string().max(4000).default(''),
})

interface Grant {
  redirectUri: string
  challenge: string
  nonce: string
  claims: JWTPayload
}

interface Organisation {
  keys: SigningKeys
  behaviour: Behaviour
  grants: Map<string, Grant>
  /** What the userinfo endpoint tells, by access token. */
  people: Map<string, Record<string, unknown>>
  /** How often the keys were fetched. */
  fetchedKeys: number
}

export const organisationClientId = 'local-organisation-client'

/**
 * Create the OpenID providers of organisations, one per name. Mount it at /idp/org: the issuer is
 * `…/idp/org/<name>`. PUT its `behaviour` to make it misbehave.
 */
export function createOrganisationRoutes(clientSecret: string): Hono {
  const organisations = new Map<string, Organisation>()
  const app = new Hono()
  const find = (c: Context): Organisation => {
    const name = c.req.param('name') ?? ''
    const known = organisations.get(name)
    if (known) return known
    const created = {
      keys: createSigningKeys(),
      behaviour: Behaviour.parse({}),
      grants: new Map(),
      people: new Map(),
      fetchedKeys: 0,
    }
    organisations.set(name, created)
    return created
  }
  app.put('/:name/behaviour', async (c) => {
    find(c).behaviour = Behaviour.parse(await c.req.json())
    return c.body(null, 204)
  })
  app.post('/:name/keys/rotate', async (c) => {
    await find(c).keys.rotate()
    return c.json({ fetched: find(c).fetchedKeys })
  })
  app.get('/:name/.well-known/openid-configuration', async (c) => {
    const { behaviour } = find(c)
    return (
      (await answerInstead(c, behaviour, 'discovery')) ??
      c.json(replace(discoveryDocument(issuerOf(c)), behaviour.discovery))
    )
  })
  app.get('/:name/keys', async (c) => {
    const organisation = find(c)
    organisation.fetchedKeys++
    return (
      (await answerInstead(c, organisation.behaviour, 'keys')) ??
      c.json(await organisation.keys.listPublicKeys())
    )
  })
  app.get('/:name/authorize', (c) => {
    const refusal = findRefusal(c, c.req.query())
    return refusal ? c.html(renderRefusalPage(refusal), 400) : c.html(renderPage(c.req.query()), 200, policy)
  })
  app.post('/:name/authorize', async (c) => {
    const form = Object.fromEntries(
      Object.entries(await c.req.parseBody()).map(([name, value]) => [name, String(value)]),
    )
    const refusal = findRefusal(c, form)
    if (refusal) return c.html(renderRefusalPage(refusal), 400)
    const { redirect_uri: redirectUri = '', code_challenge: challenge = '', nonce = '', state = '' } = form
    const code = randomBytes(24).toString('base64url')
    find(c).grants.set(code, { redirectUri, challenge, nonce, claims: buildClaims(Person.parse(form)) })
    const url = new URL(redirectUri)
    url.searchParams.set('code', code)
    url.searchParams.set('state', state)
    return c.redirect(url.href, 302)
  })
  app.get('/:name/userinfo', async (c) => {
    const { behaviour, people } = find(c)
    const token = (c.req.header('authorization') ?? '').replace(/^Bearer /i, '')
    const person = people.get(token)
    people.delete(token)
    return (
      (await answerInstead(c, behaviour, 'userinfo')) ??
      (person ? c.json(person) : c.json({ error: 'invalid_token' }, 401))
    )
  })
  app.post('/:name/token', (c) => redeemCode(c, find(c), clientSecret))
  return app
}

const policy = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}
const issuerOf = (c: Context) => `${new URL(c.req.url).origin}/idp/org/${c.req.param('name')}`

function discoveryDocument(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile', 'groups'],
    code_challenge_methods_supported: ['S256'],
  }
}

function replace(record: object, changes: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries({ ...record, ...changes })
  return Object.fromEntries(entries.filter(([, value]) => value !== null))
}

async function answerInstead(
  c: Context,
  { answers }: Behaviour,
  endpoint: keyof Behaviour['answers'],
): Promise<Response | undefined> {
  const answer = answers[endpoint]
  if (!answer) return undefined
  await sleep(answer.delay_ms)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (answer.location) headers.location = answer.location
  if (answer.date) headers.date = answer.date
  return c.body(answer.body + ' '.repeat(answer.bytes), answer.status as 200, headers)
}

/** Redirect only to the callback of a connection of the local service, as a registered client. */
function findRefusal(c: Context, { client_id, redirect_uri = '', ...request }: Record<string, string>) {
  if (client_id !== organisationClientId) return 'This client is not registered.'
  const { origin } = new URL(c.req.url)
  if (!redirect_uri.startsWith(`${origin}/oauth/sso/`)) return `${redirect_uri} is not registered.`
  const isComplete =
    request.response_type === 'code' &&
    request.scope?.split(' ').includes('openid') &&
    request.state &&
    request.nonce &&
    request.code_challenge?.length === 43 &&
    request.code_challenge_method === 'S256'
  return isComplete ? null : 'The request has no state, nonce or PKCE challenge.'
}

function renderPage(request: Record<string, string>) {
  const hidden = Object.entries(request).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>Local organisation</title><style>${raw(pageStyle)}</style></head>
<body><header><h1>Local organisation</h1></header>
<p>This is a local emulator of the provider of an organisation. Say who signs in; no password is needed.</p>
<form method="post" class="row">${hidden}
<input name="email" type="email" placeholder="e-mail" required value="${request.login_hint ?? ''}" /><input name="name" placeholder="name" />
<input name="sub" placeholder="sub (derived from the e-mail)" /><input name="groups" placeholder="groups, with commas" />
<button>Continue</button></form>
</body></html>`
}

function buildClaims({ email, name, sub, groups }: z.infer<typeof Person>): JWTPayload {
  const digest = createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 20)
  return {
    sub: sub || digest,
    ...(email ? { email, email_verified: true } : {}),
    ...(name ? { name } : {}),
    ...(groups ? { groups: groups.split(',').map((group) => group.trim()) } : {}),
  }
}

async function redeemCode(
  c: Context,
  { keys, behaviour, grants, people }: Organisation,
  clientSecret: string,
): Promise<Response> {
  const instead = await answerInstead(c, behaviour, 'token')
  if (instead) return instead
  const basic = Buffer.from((c.req.header('authorization') ?? '').replace(/^Basic /i, ''), 'base64')
  const [id = '', secret = ''] = basic.toString().split(':').map(decodeURIComponent)
  if (id !== organisationClientId || secret !== clientSecret) return c.json({ error: 'invalid_client' }, 401)
  const form = new URLSearchParams(await c.req.text())
  const code = form.get('code') ?? ''
  const grant = grants.get(code)
  grants.delete(code)
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  if (!grant || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri'))
    return c.json({ error: 'invalid_grant' }, 400)
  const now = Math.floor(Date.now() / 1000)
  const changes = Object.fromEntries(
    Object.entries(behaviour.claims).map(([name, value]) => [
      name,
      (name === 'iat' || name === 'exp') && typeof value === 'number' ? now + value : value,
    ]),
  )
  const base = { iss: issuerOf(c), aud: organisationClientId, iat: now, exp: now + 3600, nonce: grant.nonce }
  const hidden = Object.fromEntries(behaviour.user_info.map((name) => [name, null]))
  const id_token = await sign(
    replace({ ...base, ...grant.claims }, { ...changes, ...hidden }),
    keys,
    behaviour.signature,
  )
  const access_token = randomBytes(24).toString('base64url')
  people.set(access_token, replace(grant.claims, changes))
  return c.json({ access_token, token_type: 'Bearer', expires_in: 3600, id_token })
}

async function sign(
  claims: JWTPayload,
  keys: SigningKeys,
  signature: Behaviour['signature'],
): Promise<string> {
  switch (signature) {
    case 'none':
      return new UnsecuredJWT(claims).encode()
    case 'HS256': {
      const [key] = (await keys.listPublicKeys()).keys
      const secret = new TextEncoder().encode(JSON.stringify(key))
      return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: key?.kid ?? '' }).sign(secret)
    }
    case 'forged': {
      const other = createSigningKeys()
      const [header = '', payload = ''] = (await keys.sign(claims)).split('.')
      const [, , forgery = ''] = (await other.sign(claims)).split('.')
      return [header, payload, forgery].join('.')
    }
    case 'RS256':
      return keys.sign(claims)
  }
}
