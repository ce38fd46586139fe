import type { Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import { createOrganisation, type Organisation } from './sso.ts'

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
