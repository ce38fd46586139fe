import { insertCode, selectClient } from '#db/rows/oauth.ts'
import { addParameters, isRegistered } from '#functions/oauth/redirect-uri.ts'
import { parseScopes } from '#functions/oauth/requests.ts'
import type { Context } from '#http/operation.ts'
import { describeScopes } from '#http/scope-words.ts'
import { invalidField, throwNotFound, unknownId } from '#problem.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import type { ConsentCreate } from './schemas.ts'

export async function getClient(
  { platform }: Context<'get', 'user', string>,
  id: string,
  scope: string | undefined,
) {
  const { name, redirect_uris } = (await selectClient(platform, id)) ?? throwNotFound('Program')
  const hosts = redirect_uris
    .map((uri) => new URL(uri))
    .map(({ protocol, host }) => (/^https?:$/.test(protocol) ? host : protocol.slice(0, -1)))
  const scopes = describeScopes(parseScopes(scope)).map(({ isPreselected, ...words }) => ({
    ...words,
    is_preselected: isPreselected,
  }))
  return { id, name, redirect_hosts: [...new Set(hosts)], scopes }
}

/**
 * Store what the person agrees to under a code, which only the program with the code verifier can exchange.
 */
export async function create(
  { platform, config, caller, ip }: Context<'post', 'user', string>,
  input: ConsentCreate,
) {
  const { client_id: clientId, redirect_uri: redirectUri, code_challenge: codeChallenge, state } = input
  const client = await selectClient(platform, clientId)
  if (!client) throw unknownId('client_id', 'program')
  if (!isRegistered(redirectUri, client.redirect_uris))
    throw invalidField(['body', 'redirect_uri'], 'must be registered by the program')
  const code = randomToken()
  const { delivery_id } = await insertCode.one(platform, {
    hash: await sha256Bytea(code),
    clientId,
    signInId: caller.signInId,
    redirectUri,
    codeChallenge,
    scopes: input.scopes,
    ip,
  })
  if (delivery_id) enqueueDelivery(platform, delivery_id)
  // `iss` lets the program recognise the answer of another server: https://www.rfc-editor.org/rfc/rfc9207
  return { redirect_to: addParameters(redirectUri, { code, state, iss: config.PUBLIC_BASE_URL }) }
}
