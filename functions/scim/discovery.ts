import { groupSchema } from './groups.ts'
import { userSchema } from './users.ts'

// What a client may ask first (RFC 7643, sections 5 to 7). It says what is supported, and nothing more.

export const maxResults = 200

const attribute = (name: string, description: string, options: object) => ({
  name,
  multiValued: false,
  description,
  required: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
})
const text = (name: string, description: string, options: object = {}) =>
  attribute(name, description, { type: 'string', caseExact: false, ...options })
const flag = (name: string, description: string) => attribute(name, description, { type: 'boolean' })
const complex = (name: string, description: string, multiValued: boolean, subAttributes: object[]) =>
  attribute(name, description, { type: 'complex', multiValued, subAttributes })

const name = { required: true, uniqueness: 'server' }
const externalId = text('externalId', 'The id at the provider.', { caseExact: true })

const schemas = [
  {
    id: userSchema,
    name: 'User',
    description: 'A member of the account.',
    attributes: [
      text('userName', 'The name at the provider, such as the user principal name.', name),
      externalId,
      text('displayName', 'The full name. Without it, that of `name`.'),
      complex('name', 'The parts of the name.', false, [
        text('formatted', 'The whole name.'),
        text('givenName', 'The first name.'),
        text('familyName', 'The last name.'),
      ]),
      flag('active', 'Whether the member can sign in.'),
      complex('emails', 'The address, of a proved domain: the primary one, else that of work.', true, [
        text('value', 'The address.'),
        text('type', 'Always `work`.'),
        flag('primary', 'Always true.'),
      ]),
    ],
  },
  {
    id: groupSchema,
    name: 'Group',
    description: 'A group at the provider, which gives its members the role and the team of `group_roles`.',
    attributes: [
      text('displayName', 'The name.', name),
      externalId,
      complex('members', 'The users in it. Not groups.', true, [
        text('value', 'The id of a user.', { mutability: 'immutable', caseExact: true }),
        text('type', 'Always `User`.', { mutability: 'immutable' }),
      ]),
    ],
  },
]

const types = [
  { name: 'User', endpoint: '/Users', schema: userSchema },
  { name: 'Group', endpoint: '/Groups', schema: groupSchema },
]

const schemaOf = (name: string) => `urn:ietf:params:scim:schemas:core:2.0:${name}`
const withMeta = <T extends object>(resourceType: string, location: string, resource: T) => ({
  schemas: [schemaOf(resourceType)],
  ...resource,
  meta: { resourceType, location },
})

export function buildProviderConfig(base: string) {
  return withMeta('ServiceProviderConfig', `${base}/ServiceProviderConfig`, {
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The token that an account admin creates: POST /api/v1/accounts/me/sso/scim-token.',
        primary: true,
      },
    ],
  })
}

export const listSchemas = (base: string) =>
  schemas.map((schema) => withMeta('Schema', `${base}/Schemas/${schema.id}`, schema))

export const listResourceTypes = (base: string) =>
  types.map((type) =>
    withMeta('ResourceType', `${base}/ResourceTypes/${type.name}`, { id: type.name, ...type }),
  )
