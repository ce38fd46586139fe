import * as z from 'zod'
import { ApiAddress, Id, idParams, Role, Secret, Time } from '#http/fields.ts'
import { isHostname, normaliseHostname, toAsciiHostname } from '#rules/text/hostname.ts'
import { Uuid } from '#rules/uuid.ts'

const ShortText = z.string().trim().min(1).max(200)
const toDomain = (text: string) => {
  const domain = normaliseHostname(text)
  return (toAsciiHostname(domain) ?? domain).toLowerCase()
}

export const SsoMode = z
  .enum(['optional', 'enforced'])
  .meta({ id: 'SsoMode' })
  .describe('Whether members with an address of a proved domain may, or must, sign in at the provider.')
const DefaultRole = z
  .enum(['viewer', 'engineer'])
  .meta({ id: 'SsoDefaultRole' })
  .describe('The role of a new member, and of one in none of the groups.')

const GroupRole = z
  .strictObject({
    group: ShortText.describe('The group, as the claim has it: a name or an id.').meta({
      example: 'service-desk',
    }),
    role: Role.describe('The role that its members get. The highest of their groups counts.'),
    team_id: Uuid.nullable().describe('The team that they join; null to leave it as it is.'),
  })
  .meta({ id: 'SsoGroupRole' })

const issuer =
  'The issuer, exactly as the discovery document of the provider has it, also a slash at the end.'
const fields = {
  mode: SsoMode,
  default_role: DefaultRole,
  groups_claim: ShortText.describe('The claim with the groups, or its path with dots.').meta({
    example: 'groups',
  }),
}

export const SsoDomain = z
  .strictObject({
    id: Id,
    domain: z.string().describe('The domain of e-mail addresses.').meta({ example: 'northwind.example' }),
    record_name: z
      .string()
      .describe('The name of the TXT record that proves the domain.')
      .meta({ example: '_support-flow.northwind.example' }),
    record_value: z
      .string()
      .describe('What the record must say.')
      .meta({ example: 'support-flow-verification=4ZkOQ1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQo' }),
    verified_at: Time.nullable().describe('When it was proved; null until then.'),
    created_at: Time,
  })
  .meta({ id: 'SsoDomain' })
export type SsoDomain = z.infer<typeof SsoDomain>

export const SsoConnection = z
  .strictObject({
    id: Id,
    issuer: z.string().describe(issuer).meta({ example: 'https://northwind.okta.example' }),
    client_id: z.string().describe('The id of this service at the provider.').meta({ example: '0oa1b2c3' }),
    redirect_uri: z
      .string()
      .describe('The address to enter at the provider.')
      .meta({ example: 'https://app.example/oauth/sso/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b/callback' }),
    scopes: z
      .array(z.string())
      .describe('The scopes that a sign-in asks for.')
      .meta({ example: ['openid'] }),
    ...fields,
    group_roles: z
      .array(GroupRole)
      .describe('The roles by group. Without any, the provider decides no roles.'),
    domains: z.array(SsoDomain).describe('The domains of the account.'),
    groups_omitted_at: Time.nullable().describe(
      'When groups were last missing, because they were too many for a token, or the userinfo could not be read. Roles then stay.',
    ),
    last_checked_at: Time.nullable().describe('When the connection was last tested.'),
    last_check_error: z
      .string()
      .nullable()
      .describe('The first problem that the last test found; null after a success.'),
    scim_created_at: Time.nullable().describe(
      'When the token that provisions members was created; null without one.',
    ),
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'SsoConnection' })
export type SsoConnection = z.infer<typeof SsoConnection>

export const ScimToken = z
  .strictObject({
    token: Secret.describe('The token. It is shown only here, because only its hash is stored.').meta({
      example: 'sfs_…',
    }),
    base_url: z
      .string()
      .describe('The address to enter at the provider, as the tenant or base URL.')
      .meta({ example: 'https://api.example/scim/v2' }),
    created_at: Time,
  })
  .meta({ id: 'ScimToken' })

export const SsoConnectionUpdate = z
  .strictObject({
    issuer: ApiAddress.describe(issuer).meta({ example: 'https://northwind.okta.example' }),
    client_id: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .describe('The id of this service at the provider.')
      .meta({ example: '0oa1b2c3' }),
    client_secret: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('Its secret, which is never shown. It stays if it is absent and the issuer is the same.')
      .meta({ example: 'a-secret-of-the-provider' }),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be a scope'))
      .min(1)
      .max(20)
      .transform((scopes) => [...new Map(scopes.map((scope) => [scope.toLowerCase(), scope])).values()])
      .default(['openid', 'email', 'profile'])
      .describe('The scopes to ask for.')
      .meta({ example: ['openid', 'email', 'profile'] }),
    mode: fields.mode.default('optional'),
    default_role: fields.default_role.default('viewer'),
    groups_claim: fields.groups_claim.default('groups'),
    group_roles: z.array(GroupRole).max(100).default([]).describe('The roles by group.'),
  })
  .refine(({ scopes }) => scopes.includes('openid'), { path: ['scopes'], error: 'must contain openid' })
  .meta({ id: 'SsoConnectionUpdate' })
export type SsoConnectionUpdate = z.infer<typeof SsoConnectionUpdate>

export const SsoTest = z
  .strictObject({
    success: z.boolean().describe('Whether people can sign in at the provider.'),
    problems: z
      .array(z.string())
      .describe('What is wrong, as sentences.')
      .meta({ example: ['The provider refuses the client id or its secret'] }),
    warnings: z
      .array(z.string())
      .describe('What to look at, as sentences.')
      .meta({ example: ['No domain is proved yet, so that nobody can sign in'] }),
  })
  .meta({ id: 'SsoTestResult' })

export const SsoDomainCreate = z
  .strictObject({
    domain: z
      .string()
      .max(253)
      .overwrite(toDomain)
      .refine((domain) => isHostname(domain) && domain.includes('.'), 'must be a domain, such as example.com')
      .describe('The domain of e-mail addresses, without its subdomains.')
      .meta({ example: 'northwind.example' }),
  })
  .meta({ id: 'SsoDomainCreate' })

export const DomainId = idParams('domain_id', 'domain')
export const MemberId = idParams('user_id', 'member')
