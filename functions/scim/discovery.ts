import { groupSchema } from './groups.ts'
import { userSchema } from './users.ts'

// What a client may ask first (RFC 7643, sections 5 to 7). It says what is supported, and nothing more.

export const maxResults = 200

type Type = 'string' | 'boolean' | 'complex' | 'reference'

const attribute = (name: string, description: string, options: object = {}, type: Type = 'string') => ({
  name,
  type,
  multiValued: false,
  description,
  required: false,
  ...(type === 'string' ? { caseExact: false } : {}),
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
})

const externalId = attribute('externalId', 'The id at the provider.', { caseExact: true })

const schemas = [
  {
    id: userSchema,
    name: 'User',
    description: 'A member of the account.',
    attributes: [
      attribute('userName', 'The name at the provider, such as the user principal name.', {
        required: true,
        uniqueness: 'server',
      }),
      externalId,
      attribute('displayName', 'The full name. Without it, that of `name`.'),
      attribute(
        'name',
        'The parts of the name.',
        {
          subAttributes: [
            attribute('formatted', 'The whole name.'),
            attribute('givenName', 'The first name.'),
            attribute('familyName', 'The last name.'),
          ],
        },
        'complex',
      ),
      attribute('active', 'Whether the member can sign in.', {}, 'boolean'),
      attribute(
        'emails',
        'The address, of a domain that the account has proved. Of several, the primary one counts, else that of work.',
        {
          multiValued: true,
          subAttributes: [
            attribute('value', 'The address.'),
            attribute('type', 'Always `work`.'),
            attribute('primary', 'Always true.', {}, 'boolean'),
          ],
        },
        'complex',
      ),
    ],
  },
  {
    id: groupSchema,
    name: 'Group',
    description: 'A group at the provider, which gives its members the role and the team of `group_roles`.',
    attributes: [
      attribute('displayName', 'The name.', { required: true, uniqueness: 'server' }),
      externalId,
      attribute(
        'members',
        'The users in it. Not groups.',
        {
          multiValued: true,
          subAttributes: [
            attribute('value', 'The id of a user.', { mutability: 'immutable', caseExact: true }),
            attribute('type', 'Always `User`.', { mutability: 'immutable' }),
          ],
        },
        'complex',
      ),
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
