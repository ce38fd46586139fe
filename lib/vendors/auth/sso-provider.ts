import type { OutboundGuard } from '#vendors/net/guard.ts'
import {
  clockToleranceSeconds,
  createOidcClient,
  fetchBounded,
  OidcFailure,
  type Redeemed,
  requireSubject,
  textClaim,
} from './oidc.ts'
import type { SsoIdentity, SsoProvider, SsoSettings } from './sso.ts'
import { checkProvider } from './sso-check.ts'

const maxTokenAgeSeconds = 600
const maxGroups = 2000
const maxGroupCharacters = 300

/** Sign in at the provider of an organisation. The guard checks every address that its document names. */
export function createSsoProvider(
  settings: SsoSettings,
  redirectUri: string,
  guard: OutboundGuard,
): SsoProvider {
  const { issuer, clientId, clientSecret, scopes } = settings
  const fetchGuarded: typeof fetchBounded = async (input, init) => {
    const refusal = await guard.findRefusal(String(input), 'sending')
    if (refusal) throw new OidcFailure('failed', `The address ${refusal}`)
    return fetchBounded(input, init)
  }
  const client = createOidcClient(
    { issuer, clientId, clientSecret, redirectUri },
    {
      scope: scopes.join(' '),
      request: {},
      fetch: fetchGuarded,
      allowsTenants: false,
      lacksClaims: (claims) =>
        claims.email === undefined ||
        !vouches(claims) ||
        findGroups(claims, settings.groupsClaim) === undefined,
    },
  )
  return {
    // https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest
    authorizationUrl: (flow, email) => client.authorizationUrl(flow, { login_hint: email }),
    redeem: async (flow) => readIdentity(settings, await client.redeem(flow)),
    check: () => checkProvider(settings, redirectUri, fetchGuarded),
  }
}

type Claims = Record<string, unknown>

function readIdentity(
  { issuer, clientId, groupsClaim }: SsoSettings,
  { claims: idToken, userInfo }: Redeemed,
): SsoIdentity {
  const claims = addUserInfo(idToken, userInfo ?? {}, groupsClaim)
  if (claims.iss !== issuer) throw new OidcFailure('refused', 'The ID token has another issuer')
  // https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
  if (claims.azp !== undefined && claims.azp !== clientId)
    throw new OidcFailure('refused', 'The ID token was issued to another client')
  const age = Date.now() / 1000 - Number(claims.iat)
  if (!(age >= -clockToleranceSeconds && age <= maxTokenAgeSeconds + clockToleranceSeconds))
    throw new OidcFailure('refused', 'The ID token was not issued now')
  const email = textClaim(claims.email)
  const isVerified = vouchesForEmail(issuer, claims)
  return {
    subject: requireSubject(claims.sub),
    email: isVerified ? email : null,
    hasUnverifiedEmail: email !== null && !isVerified,
    name: textClaim(claims.name),
    groups: readGroups(claims, groupsClaim, userInfo !== null),
  }
}

/**
 * Add what Authelia, Auth0 and Okta tell at the userinfo endpoint only: groups, and an address together with
 * whether it is verified, so that one source vouches for it.
 */
function addUserInfo(claims: Claims, info: Claims, groupsClaim: string): Claims {
  const [root = ''] = groupsClaim.split('.')
  const names = ['name', groupsClaim, root, '_claim_names', 'hasgroups']
  const added = names.filter((name) => Object.hasOwn(info, name)).map((name) => [name, info[name]])
  const isSameAddress = claims.email === undefined || claims.email === info.email
  const { email, email_verified } = info
  return {
    ...Object.fromEntries(added),
    ...(isSameAddress ? { email, email_verified } : {}),
    ...claims,
  }
}

const vouches = ({ email_verified, xms_edov }: Claims) =>
  email_verified !== undefined || xms_edov !== undefined

/**
 * Whether the provider says that the address belongs to the person. Entra has `xms_edov` instead of
 * `email_verified`, and otherwise takes an address from whoever manages the user:
 * https://learn.microsoft.com/en-us/entra/identity-platform/optional-claims-reference
 * Google vouches for the addresses of an organisation, which `hd` names:
 * https://developers.google.com/identity/gsi/web/guides/verify-google-id-token
 */
function vouchesForEmail(issuer: string, { email_verified, xms_edov, hd }: Claims): boolean {
  const isTrue = (claim: unknown) => claim === true || claim === 1 || claim === '1' || claim === 'true'
  if (issuer === 'https://accounts.google.com' && typeof hd !== 'string') return false
  if (email_verified !== undefined) return isTrue(email_verified)
  return isTrue(xms_edov)
}

/**
 * Return the groups of a claim, whose name may be a path with dots. Return null when the userinfo that may have
 * them could not be read, or the provider has left them out, because they are too many:
 * https://learn.microsoft.com/en-us/entra/identity-platform/access-token-claims-reference#groups-overage-claim
 */
function readGroups(claims: Claims, name: string, isWhole: boolean): string[] | null {
  const value = findGroups(claims, name)
  const isOmitted = !isWhole || readKey(claims._claim_names, name) !== undefined || claims.hasgroups
  if (value === undefined && isOmitted) return null
  const groups = (Array.isArray(value) ? value : [value]).filter(
    (group): group is string =>
      typeof group === 'string' && group !== '' && group.length <= maxGroupCharacters,
  )
  return groups.length > maxGroups ? null : groups
}

const findGroups = (claims: Claims, name: string): unknown =>
  claims[name] ?? name.split('.').reduce<unknown>(readKey, claims)

const readKey = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Claims)[key]
    : undefined
