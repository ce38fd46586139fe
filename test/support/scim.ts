import type { Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import type { Person, TestAccount } from './people.ts'
import { connectOrganisation, createOrganisation, type Organisation } from './sso.ts'

export interface ScimResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the body it expects
  body: any
  text: string
}

export interface ScimClient extends Organisation {
  token: string
  /** Send a request to /scim/v2; a text is sent as it is. */
  scim(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string | undefined>,
  ): Promise<ScimResponse>
  /** Provision a person with this address, and return their id. */
  addUser(email?: string, attributes?: object): Promise<string>
  addGroup(displayName: string, userIds?: readonly string[]): Promise<string>
}

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const patchOf = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})

export function createScimCaller(service: Service, token: string): ScimClient['scim'] {
  return async (method, path, body, headers = {}) => {
    const sent: Record<string, string | undefined> = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/scim+json; charset=utf-8',
      ...headers,
    }
    const response = await (service.fetch ?? fetch)(
      new Request(`${service.api}/scim/v2${path}`, {
        method,
        headers: Object.entries(sent).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value] as [string, string]],
        ),
        body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text ? JSON.parse(text) : undefined,
      text,
    }
  }
}

/** Connect the provider of an organisation, and have its admin create the token. */
export async function connectScim(
  service: Service,
  settings: Parameters<typeof createOrganisation>[1] | Organisation = {},
): Promise<ScimClient> {
  const organisation = 'account' in settings ? settings : await createOrganisation(service, settings)
  const { body } = expectStatus(
    await organisation.account.admin.call('POST', '/accounts/me/sso/scim-token'),
    201,
  )
  const scim = createScimCaller(service, body.token)
  const post = async (path: string, json: object): Promise<string> =>
    (expectStatus((await scim('POST', path, json)) as never, 201) as ScimResponse).body.id
  return {
    ...organisation,
    token: body.token,
    scim,
    addUser: (email = organisation.createEmail(), attributes = {}) =>
      post('/Users', { schemas: [userSchema], userName: email, ...attributes }),
    addGroup: (displayName, userIds = []) =>
      post('/Groups', { displayName, members: userIds.map((value) => ({ value })) }),
  }
}

/** The ways in which the provider of an organisation ends what a member may do. */
export const providerLeavings: Record<
  string,
  (service: Service, account: TestAccount, leaver: Person) => Promise<ScimResponse>
> = {
  async 'a deactivation by the provider'(service, account, leaver) {
    const { scim } = await connectMember(service, account, leaver)
    return scim('PATCH', `/Users/${leaver.id}`, patchOf({ op: 'Replace', path: 'active', value: 'False' }))
  },
  async 'a deletion by the provider'(service, account, leaver) {
    const { scim } = await connectMember(service, account, leaver)
    return scim('DELETE', `/Users/${leaver.id}`)
  },
  async 'the end of a group at the provider'(service, account, leaver) {
    const { scim, addGroup } = await connectMember(service, account, leaver)
    return scim('DELETE', `/Groups/${await addGroup('desk', [leaver.id])}`)
  },
}

/** Connect the provider of the account, by whose domain it knows the member. The group `desk` makes engineers. */
export async function connectMember(
  service: Service,
  account: TestAccount,
  { id }: Person,
): Promise<ScimClient> {
  const group_roles = [{ group: 'desk', role: 'engineer', team_id: null }]
  const organisation = await connectOrganisation(service, account, { group_roles })
  await service.sql('update users set email = $2 where id = $1', [id, organisation.createEmail()])
  return connectScim(service, organisation)
}
