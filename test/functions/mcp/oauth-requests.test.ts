// @module-tag behaviour
import { describe, expect, it } from 'vitest'
import { readingScopes } from '#functions/mcp/tools.ts'
import {
  AuthorizationRequest,
  createClientId,
  parseScopes,
  Registration,
  TokenRequest,
} from '#functions/oauth/requests.ts'

describe('a request to the OAuth server', () => {
  it.each([
    [{ redirect_uris: ['https://a.example/'], client_name: ' Editor ' }, 'Editor'],
    [{ redirect_uris: ['https://a.example/'] }, 'MCP client'],
    [{ redirect_uris: ['https://a.example/'], client_name: ' ' }, 'MCP client'],
    [{ redirect_uris: ['https://a.example/'], client_name: 'x'.repeat(100) }, 'x'.repeat(100)],
    [{ redirect_uris: ['https://a.example/'], client_name: 'x'.repeat(101) }, 'MCP client'],
    [{ redirect_uris: Array(10).fill('https://a.example/') }, 'MCP client'],
    [{ redirect_uris: [] }, undefined],
    [{ redirect_uris: 'https://a.example/' }, undefined],
    [{ redirect_uris: ['http://a.example/', 'javascript:x', 7, null] }, undefined],
    [{}, undefined],
  ])('registers %j as %j', (body, name) => expect(Registration.safeParse(body).data?.client_name).toBe(name))
  it('registers the addresses that are allowed, each once, at most ten', () => {
    const many = Array.from({ length: 12 }, (_, n) => `https://${n}.example/`)
    const uris = ['http://a.example/', 7, null, 'https://0.example/', ...many]
    expect(Registration.parse({ redirect_uris: uris }).redirect_uris).toEqual(many.slice(0, 10))
  })
  it.each([
    ['flows:read flows:write flows:read', ['flows:read', 'flows:write']],
    ['unknown flows:read', ['flows:read']],
    ['unknown', [...readingScopes]],
    ['', [...readingScopes]],
    [undefined, [...readingScopes]],
  ])('asks for the scopes %j: %j', (text, scopes) => expect(parseScopes(text)).toEqual(scopes))
  it('creates a new id for each client', () => {
    const ids = [createClientId(), createClientId()]
    expect(ids).toEqual([expect.stringMatching(/^[\w-]{22}$/), expect.stringMatching(/^[\w-]{22}$/)])
    expect(ids[0]).not.toBe(ids[1])
  })
  const authorization = {
    response_type: 'code',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  }
  it.each([
    [{}, true],
    [{ state: 's'.repeat(2000), scope: 's'.repeat(2000), resource: 'r'.repeat(500) }, true],
    [{ state: 's'.repeat(2001) }, false],
    [{ scope: 's'.repeat(2001) }, false],
    [{ resource: 'r'.repeat(501) }, false],
    [{ response_type: 'token' }, false],
    [{ code_challenge_method: 'plain' }, false],
    [{ code_challenge: 'c'.repeat(42) }, false],
    [{ code_challenge: 'c'.repeat(44) }, false],
  ])('asks for an authorization: %#', (changes, isValid) =>
    expect(AuthorizationRequest.safeParse({ ...authorization, ...changes }).success).toBe(isValid),
  )
  const exchange = {
    grant_type: 'authorization_code',
    code: 'c',
    redirect_uri: 'u',
    client_id: 'i'.repeat(22),
    code_verifier: 'v'.repeat(43),
  }
  const refresh = { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'i'.repeat(22) }
  it.each([
    [exchange, {}, true],
    [
      exchange,
      { code: 'c'.repeat(200), code_verifier: 'v'.repeat(128), redirect_uri: 'u'.repeat(500) },
      true,
    ],
    [exchange, { code: 'c'.repeat(201) }, false],
    [exchange, { code: '' }, false],
    [exchange, { code_verifier: 'v'.repeat(42) }, false],
    [exchange, { code_verifier: 'v'.repeat(129) }, false],
    [exchange, { redirect_uri: 'u'.repeat(501) }, false],
    [exchange, { client_id: 'i'.repeat(21) }, false],
    [refresh, { refresh_token: 'r'.repeat(200), scope: 's'.repeat(2000), resource: 'r'.repeat(500) }, true],
    [refresh, { refresh_token: 'r'.repeat(201) }, false],
    [refresh, { refresh_token: '' }, false],
    [refresh, { scope: 's'.repeat(2001) }, false],
    [refresh, { resource: 'r'.repeat(501) }, false],
  ])('asks for tokens: %#', (request, changes, isValid) =>
    expect(TokenRequest.safeParse({ ...request, ...changes }).success).toBe(isValid),
  )
})
