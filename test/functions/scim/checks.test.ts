import { afterAll, describe, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { entries } from '#test/support/night.ts'
import { connectScim, patchOf, userSchema } from '#test/support/scim.ts'

// The checks of Microsoft's SCIM validator (https://scimvalidator.microsoft.com) and of Okta's SCIM 2.0 SPEC test
// (https://developer.okta.com/docs/guides/scim-provisioning-integration-test/), and what RFC 7643 and RFC 7644 ask for.

const any = expect.anything()
const none = undefined
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const error = (status: number, scimType?: string) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  ...(scimType ? { scimType } : {}),
  detail: any,
})
const list = (totalResults: number, ...Resources: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults,
  Resources: Resources.map((each) => expect.objectContaining(each)),
})
const ada = {
  schemas: [userSchema],
  userName: 'Ada@{domain}',
  name: { givenName: 'Ada', familyName: 'Byron', formatted: 'Ada Byron' },
  displayName: 'Ada B.',
  emails: [{ primary: true, value: 'ada.mail@{domain}', type: 'work' }],
  externalId: '00u1',
  active: true,
}
const filter = (text: string) => `/Users?filter=${encodeURIComponent(text)}`
const groupFilter = (text: string) => `/Groups?filter=${encodeURIComponent(text)}`
const members = (...ids: string[]) => ids.map((value) => expect.objectContaining({ value }))

/** Method, path, body, status, and what the answer contains. `{last}` is the id of what was created last. */
type Step = readonly [method: string, path: string, body: unknown, status: number, answer?: object]

/** In each, the users one@ and two@ of the domain exist, and the group Desk with one. */
const checks: Record<string, readonly Step[]> = {
  // Microsoft's validator.
  'POST a user': [
    [
      'POST',
      '/Users',
      ada,
      201,
      { ...ada, id: any, meta: expect.objectContaining({ resourceType: 'User', location: any }) },
    ],
    ['GET', '/Users/{last}', none, 200, ada],
  ],
  'POST the same user again': [
    ['POST', '/Users', { userName: 'ONE@{domain}' }, 409, error(409, 'uniqueness')],
  ],
  'GET a user': [['GET', '/Users/{one}', none, 200, { id: '{one}', userName: 'one@{domain}', active: true }]],
  'filter an existing user by userName': [
    ['GET', filter('userName eq "one@{domain}"'), none, 200, list(1, { id: '{one}' })],
  ],
  'filter a user who does not exist': [['GET', filter('userName eq "nobody@{domain}"'), none, 200, list(0)]],
  'filter a user with another case': [
    ['GET', filter('USERNAME Eq "ONE@{domain}"'), none, 200, list(1, { id: '{one}' })],
  ],
  'PATCH: replace attributes': [
    [
      'PATCH',
      '/Users/{one}',
      patchOf(
        { op: 'replace', path: 'displayName', value: 'Uno' },
        { op: 'Replace', path: 'name.familyName', value: 'Eins' },
      ),
      200,
      { displayName: 'Uno', name: expect.objectContaining({ familyName: 'Eins' }) },
    ],
  ],
  'PATCH: change userName': [
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'Replace', path: 'userName', value: 'uno@{domain}' }),
      200,
      { userName: 'uno@{domain}' },
    ],
    ['GET', filter('userName eq "uno@{domain}"'), none, 200, list(1, { id: '{one}' })],
  ],
  'PATCH: disable a user': [
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'replace', path: 'active', value: false }),
      200,
      { active: false },
    ],
    ['GET', filter('userName eq "one@{domain}"'), none, 200, list(1, { active: false })],
  ],
  'PATCH: disable with the text False, and enable with True': [
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'Replace', path: 'active', value: 'False' }),
      200,
      { active: false },
    ],
    ['PATCH', '/Users/{one}', patchOf({ op: 'Add', path: 'active', value: 'True' }), 200, { active: true }],
  ],
  'PATCH: multi-valued': [
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'Replace', path: 'emails[type eq "work"].value', value: 'a1@{domain}' }),
      200,
      { emails: [{ value: 'a1@{domain}', type: 'work', primary: true }], userName: 'one@{domain}' },
    ],
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'Add', path: 'emails[type eq "work"]', value: [{ value: 'a2@{domain}' }] }),
      200,
      { emails: [{ value: 'a2@{domain}', type: 'work', primary: true }] },
    ],
    [
      'PATCH',
      '/Users/{one}',
      patchOf({
        op: 'add',
        path: 'emails',
        value: [
          { value: 'x@elsewhere.example', type: 'home' },
          { value: 'a3@{domain}', type: 'work' },
        ],
      }),
      200,
      { emails: [{ value: 'a3@{domain}', type: 'work', primary: true }] },
    ],
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'replace', path: 'emails[type eq "home"].value', value: 'x@elsewhere.example' }),
      200,
      { emails: [{ value: 'a3@{domain}', type: 'work', primary: true }] },
    ],
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'remove', path: 'emails' }),
      200,
      { emails: [{ value: 'one@{domain}', type: 'work', primary: true }] },
    ],
  ],
  'PATCH: attributes with dots and of extensions': [
    [
      'PATCH',
      '/Users/{one}',
      patchOf({
        op: 'Add',
        value: {
          'name.givenName': 'Uno',
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department': 'x',
          title: 'Boss',
        },
      }),
      200,
      { name: expect.objectContaining({ givenName: 'Uno' }) },
    ],
    [
      'PATCH',
      '/Users/{one}',
      patchOf({
        op: 'Add',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager',
        value: 'x',
      }),
      200,
      { id: '{one}' },
    ],
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'replace', path: `${userSchema}:displayName`, value: 'By its URN' }),
      200,
      { displayName: 'By its URN' },
    ],
  ],
  'DELETE a user, and again': [
    ['DELETE', '/Users/{one}', none, 204],
    ['GET', '/Users/{one}', none, 404, error(404)],
    ['DELETE', '/Users/{one}', none, 404, error(404)],
    ['GET', filter('userName eq "one@{domain}"'), none, 200, list(0)],
    ['GET', '/Groups/{group}', none, 200, { members: [] }],
    ['POST', '/Users', { userName: 'one@{domain}' }, 201, { id: '{one}', active: true }],
  ],
  'POST, GET and rename a group': [
    [
      'POST',
      '/Groups',
      { schemas: [groupSchema], displayName: 'Leads', externalId: 'g-1', members: [{ value: '{one}' }] },
      201,
      { displayName: 'Leads', externalId: 'g-1', members: members('{one}') },
    ],
    ['PATCH', '/Groups/{last}', patchOf({ op: 'Replace', path: 'displayName', value: 'Heads' }), 204],
    ['GET', '/Groups/{last}', none, 200, { displayName: 'Heads', members: members('{one}') }],
    ['GET', groupFilter('displayName eq "HEADS"'), none, 200, list(1, { id: '{last}' })],
    ['GET', groupFilter('displayName eq "Leads"'), none, 200, list(0)],
    ['GET', groupFilter('externalId eq "g-1"'), none, 200, list(1, { id: '{last}' })],
    ['POST', '/Groups', { displayName: 'heads' }, 409, error(409, 'uniqueness')],
  ],
  'GET a group without its members': [
    [
      'GET',
      '/Groups/{group}?excludedAttributes=members',
      none,
      200,
      { displayName: 'Desk', members: undefined },
    ],
    [
      'GET',
      `${groupFilter('displayName eq "Desk"')}&excludedAttributes=members`,
      none,
      200,
      list(1, { displayName: 'Desk' }),
    ],
  ],
  'PATCH a group: add, remove and replace members': [
    [
      'PATCH',
      '/Groups/{group}',
      patchOf({ op: 'Add', path: 'members', value: [{ $ref: null, value: '{two}' }] }),
      204,
    ],
    ['PATCH', '/Groups/{group}', patchOf({ op: 'Add', path: 'members', value: [{ value: '{two}' }] }), 204],
    ['GET', '/Groups/{group}', none, 200, { members: expect.arrayContaining(members('{one}', '{two}')) }],
    ['GET', groupFilter('members[value eq "{two}"]'), none, 200, list(1, { id: '{group}' })],
    ['GET', groupFilter('id eq "{group}" and members eq "{two}"'), none, 200, list(1, { id: '{group}' })],
    ['PATCH', '/Groups/{group}', patchOf({ op: 'Remove', path: 'members[value eq "{two}"]' }), 204],
    ['GET', '/Groups/{group}', none, 200, { members: members('{one}') }],
    [
      'PATCH',
      '/Groups/{group}',
      patchOf({ op: 'Remove', path: 'members', value: [{ value: '{one}' }] }),
      204,
    ],
    ['GET', '/Groups/{group}', none, 200, { members: [] }],
    [
      'PATCH',
      '/Groups/{group}',
      patchOf(
        { op: 'replace', value: { id: '{group}', displayName: 'Desk 2' } },
        { op: 'replace', path: 'members', value: [{ value: '{two}', display: 'two' }] },
      ),
      204,
    ],
    ['GET', '/Groups/{group}', none, 200, { displayName: 'Desk 2', members: members('{two}') }],
    ['PATCH', '/Groups/{group}', patchOf({ op: 'remove', path: 'members' }), 204],
    ['GET', '/Groups/{group}', none, 200, { members: [] }],
  ],
  'PUT a group': [
    [
      'PUT',
      '/Groups/{group}',
      { displayName: 'Desk', members: [{ value: '{two}' }] },
      200,
      { members: members('{two}') },
    ],
    ['PUT', '/Groups/{group}', { members: [] }, 400, error(400, 'invalidValue')],
  ],
  'DELETE a group': [
    ['DELETE', '/Groups/{group}', none, 204],
    ['GET', '/Groups/{group}', none, 404, error(404)],
    ['DELETE', '/Groups/{group}', none, 404, error(404)],
  ],
  'a member of a group who does not exist': [
    [
      'PATCH',
      '/Groups/{group}',
      patchOf({ op: 'add', path: 'members', value: [{ value: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d10' }] }),
      400,
      error(400, 'invalidValue'),
    ],
    [
      'PATCH',
      '/Groups/{group}',
      patchOf({ op: 'add', path: 'members', value: [{ value: 'x' }] }),
      400,
      error(400, 'invalidValue'),
    ],
    [
      'POST',
      '/Groups',
      { displayName: 'Half', members: [{ value: '{one}' }, { value: 'x' }] },
      400,
      error(400, 'invalidValue'),
    ],
    ['GET', groupFilter('displayName eq "Half"'), none, 200, list(0)],
  ],
  // Okta's SPEC test.
  'the first user of a list has a name and an address': [
    [
      'GET',
      '/Users?count=1&startIndex=1',
      none,
      200,
      {
        totalResults: 2,
        itemsPerPage: 1,
        startIndex: 1,
        Resources: [
          expect.objectContaining({
            id: any,
            userName: any,
            active: true,
            emails: [expect.objectContaining({ value: any })],
            name: expect.objectContaining({ familyName: any, givenName: any }),
          }),
        ],
      },
    ],
  ],
  'a user by an id that does not exist': [
    ['GET', '/Users/010101001010101011001010101011', none, 404, error(404)],
  ],
  'a list of groups': [
    ['GET', '/Groups', none, 200, list(1, { displayName: 'Desk', members: members('{one}') })],
  ],
  'PUT a user, as Okta changes and deactivates': [
    [
      'PUT',
      '/Users/{one}',
      { ...ada, id: '{one}', meta: { resourceType: 'User' }, active: false },
      200,
      { displayName: 'Ada B.', userName: 'Ada@{domain}', active: false, externalId: '00u1' },
    ],
    [
      'PUT',
      '/Users/{one}',
      { userName: 'one@{domain}' },
      200,
      { active: false, displayName: 'one@{domain}' },
    ],
    ['PATCH', '/Users/{one}', patchOf({ op: 'replace', value: { active: true } }), 200, { active: true }],
  ],
  // The RFCs.
  paging: [
    ['GET', '/Users?startIndex=2&count=5', none, 200, { totalResults: 2, startIndex: 2, itemsPerPage: 1 }],
    ['GET', '/Users?startIndex=0&count=1', none, 200, { startIndex: 1, itemsPerPage: 1 }],
    ['GET', '/Users?startIndex=-3', none, 200, { startIndex: 1, itemsPerPage: 2 }],
    ['GET', '/Users?count=0', none, 200, { totalResults: 2, itemsPerPage: 0, Resources: [] }],
    ['GET', '/Users?count=-1', none, 200, { totalResults: 2, itemsPerPage: 0, Resources: [] }],
    ['GET', '/Users?startIndex=99', none, 200, { totalResults: 2, startIndex: 99, itemsPerPage: 0 }],
    ['GET', '/Users?count=9999', none, 200, { itemsPerPage: 2 }],
    ['GET', '/Users?count=one', none, 400, error(400, 'invalidValue')],
  ],
  filters: [
    ['GET', filter('userName sw "ONE@" and active eq true'), none, 200, list(1, { id: '{one}' })],
    ['GET', filter('userName co "one" or displayName eq "two@{domain}"'), none, 200, { totalResults: 2 }],
    ['GET', filter('not (userName co "one")'), none, 200, list(1, { id: '{two}' })],
    ['GET', filter('userName ne "one@{domain}" and (active eq "True")'), none, 200, list(1, { id: '{two}' })],
    ['GET', filter('active eq false'), none, 200, list(0)],
    ['GET', filter('externalId pr'), none, 200, list(0)],
    ['GET', filter('not (externalId eq "x")'), none, 200, { totalResults: 2 }],
    ['GET', filter('externalId eq null and id eq "{one}"'), none, 200, list(1, { id: '{one}' })],
    [
      'GET',
      filter('emails[type eq "work" and value eq "ONE@{domain}"]'),
      none,
      200,
      list(1, { id: '{one}' }),
    ],
    ['GET', filter('emails.value ew "@{domain}"'), none, 200, { totalResults: 2 }],
    ['GET', filter(`${userSchema}:userName eq "one@{domain}"`), none, 200, list(1, { id: '{one}' })],
    ['GET', filter('userName sw "%"'), none, 200, list(0)],
    ['GET', filter('userName eq "\'; drop table users --"'), none, 200, list(0)],
  ],
  'filters that are not supported': [
    'userName',
    'userName eq',
    'userName eq one',
    'userName like "x"',
    'userName gt "x"',
    'title eq "x"',
    'constructor eq "x"',
    'active co "t"',
    'active eq "perhaps"',
    'userName eq "x" and',
    'userName eq "x" userName eq "y"',
    '(userName eq "x"',
    'userName eq "x")',
    'userName eq 7',
    'emails[type eq "work"',
    'emails[type[value eq "x"]]',
    'userName eq "\\u0000"',
    'userName eq "\\q"',
    `${'('.repeat(12)}userName pr${')'.repeat(12)}`,
    Array.from({ length: 51 }, () => 'userName pr').join(' or '),
    `userName eq "${'x'.repeat(2000)}"`,
    `userName eq "${'\n'.repeat(500)}`,
    '',
    '"x" eq userName',
  ].map((text): Step => ['GET', filter(text), none, 400, error(400, 'invalidFilter')]),
  'attributes and excludedAttributes': [
    [
      'GET',
      '/Users/{one}?attributes=userName,name.familyName',
      none,
      200,
      {
        id: '{one}',
        userName: 'one@{domain}',
        name: { familyName: any },
        active: undefined,
        meta: undefined,
      },
    ],
    [
      'GET',
      `/Users/{one}?attributes=${userSchema}:USERNAME`,
      none,
      200,
      { userName: 'one@{domain}', active: undefined },
    ],
    ['GET', '/Users?excludedAttributes=emails,id', none, 200, list(2, { id: '{one}' }, { id: '{two}' })],
  ],
  'names of attributes and schemas in another case': [
    [
      'POST',
      '/Users',
      {
        SCHEMAS: [userSchema.toUpperCase()],
        USERNAME: 'c@{domain}',
        NAME: { GIVENNAME: 'Cleo' },
        ACTIVE: 'false',
      },
      201,
      { userName: 'c@{domain}', active: false, name: expect.objectContaining({ givenName: 'Cleo' }) },
    ],
    [
      'PATCH',
      '/Users/{last}',
      { OPERATIONS: [{ OP: 'REPLACE', PATH: 'DISPLAYNAME', VALUE: 'C' }] },
      200,
      { displayName: 'C' },
    ],
  ],
  'unknown attributes': [
    [
      'POST',
      '/Users',
      {
        userName: 'u@{domain}',
        nickName: 'U',
        constructor: { x: 1 },
        password: 'x',
        roles: [{ value: 'admin' }],
      },
      201,
      { userName: 'u@{domain}', nickName: undefined, password: undefined },
    ],
  ],
  'a body that is no JSON': [
    ['POST', '/Users', '{', 400, error(400, 'invalidSyntax')],
    ['POST', '/Users', '[]', 400, error(400, 'invalidSyntax')],
    ['POST', '/Users', '', 400, error(400, 'invalidSyntax')],
    ['POST', '/Users', `${'['.repeat(40)}${']'.repeat(40)}`, 400, error(400, 'invalidSyntax')],
    ['PATCH', '/Users/{one}', {}, 400, error(400, 'invalidSyntax')],
    ['PATCH', '/Users/{one}', patchOf(), 400, error(400, 'invalidSyntax')],
    ['PATCH', '/Users/{one}', patchOf({ op: 'move', path: 'active' }), 400, error(400, 'invalidSyntax')],
    [
      'PATCH',
      '/Users/{one}',
      patchOf(...Array.from({ length: 1001 }, () => ({ op: 'add', path: 'x', value: 1 }))),
      400,
      error(400, 'invalidSyntax'),
    ],
    ['POST', '/Users', `{"userName":"${'x'.repeat(1024 * 1024)}"}`, 413, error(413)],
  ],
  'values that cannot be': [
    ...[
      { userName: 7 },
      { userName: '' },
      {},
      { userName: 'no address' },
      { userName: `${'x'.repeat(400)}@{domain}` },
      { userName: 'v@{domain}', active: 'perhaps' },
      { userName: 'v@{domain}', emails: [{ value: 'none' }] },
      { userName: 'v@{domain}', displayName: { x: 1 } },
      { userName: 'v@{domain}', displayName: 'x\u0000y' },
      { userName: 'v@{domain}', externalId: 'x'.repeat(501) },
    ].map((body): Step => ['POST', '/Users', body, 400, error(400, 'invalidValue')]),
    ['GET', filter('userName sw "v@"'), none, 200, list(0)],
    ['PATCH', '/Users/{one}', patchOf({ op: 'remove', path: 'userName' }), 400, error(400, 'invalidValue')],
    ['POST', '/Groups', { displayName: '' }, 400, error(400, 'invalidValue')],
    ['POST', '/Groups', { displayName: 'x'.repeat(257) }, 400, error(400, 'invalidValue')],
  ],
  'paths that cannot be': [
    ...['[', 'emails[type eq]', 'emails[type eq "work"', 'a b', '', '7', 'emails[type eq "work"].'].map(
      (path): Step => [
        'PATCH',
        '/Users/{one}',
        patchOf({ op: 'replace', path, value: 'x' }),
        400,
        error(400, 'invalidPath'),
      ],
    ),
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'replace', path: 7, value: 'x' }),
      400,
      error(400, 'invalidPath'),
    ],
    ['PATCH', '/Users/{one}', patchOf({ op: 'remove' }), 400, error(400, 'noTarget')],
  ],
  'attributes that only the service sets': [
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'replace', path: 'id', value: 'x' }),
      400,
      error(400, 'mutability'),
    ],
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'replace', path: 'meta.created', value: 'x' }),
      400,
      error(400, 'mutability'),
    ],
    ['PUT', '/Users/{one}', { id: '{two}', userName: 'one@{domain}' }, 200, { id: '{one}' }],
  ],
  'a domain that the account has not proved': [
    ['POST', '/Users', { userName: 'x@elsewhere.example' }, 403, error(403)],
    ['POST', '/Users', { userName: 'x@sub.{domain}' }, 403, error(403)],
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'replace', path: 'emails', value: [{ value: 'x@elsewhere.example' }] }),
      403,
      error(403),
    ],
    ['GET', '/Users/{one}', none, 200, { emails: [expect.objectContaining({ value: 'one@{domain}' })] }],
  ],
  'a name or an address of another user': [
    [
      'PATCH',
      '/Users/{one}',
      patchOf({ op: 'replace', path: 'userName', value: 'TWO@{domain}' }),
      409,
      error(409, 'uniqueness'),
    ],
    [
      'PUT',
      '/Users/{one}',
      { userName: 'free@{domain}', emails: [{ value: 'two@{domain}' }] },
      409,
      error(409, 'uniqueness'),
    ],
  ],
  'what the service supports': [
    [
      'GET',
      '/ServiceProviderConfig',
      none,
      200,
      {
        patch: { supported: true },
        bulk: expect.objectContaining({ supported: false }),
        filter: { supported: true, maxResults: 200 },
        changePassword: { supported: false },
        sort: { supported: false },
        etag: { supported: false },
      },
    ],
    [
      'GET',
      '/ResourceTypes',
      none,
      200,
      list(2, { id: 'User', endpoint: '/Users' }, { id: 'Group', endpoint: '/Groups' }),
    ],
    ['GET', '/ResourceTypes/Group', none, 200, { schema: groupSchema }],
    ['GET', '/Schemas', none, 200, list(2, { id: userSchema }, { id: groupSchema })],
    [
      'GET',
      `/Schemas/${userSchema}`,
      none,
      200,
      {
        id: userSchema,
        attributes: expect.arrayContaining([
          expect.objectContaining({ name: 'userName', required: true, uniqueness: 'server' }),
        ]),
      },
    ],
    ['GET', '/Schemas/urn:x', none, 404, error(404)],
    ['POST', '/Schemas', {}, 405, error(405)],
    ['GET', '/Me', none, 501, error(501)],
    ['POST', '/Bulk', {}, 501, error(501)],
    ['GET', '/Nothing', none, 404, error(404)],
    ['GET', '/Users/{one}/more', none, 404, error(404)],
    ['GET', '', none, 404, error(404)],
    ['PATCH', '/Users', {}, 405, error(405)],
    ['POST', '/Users/{one}', {}, 405, error(405)],
  ],
}

for (const platform of entries)
  describe(`on ${platform}`, async () => {
    const service = await startOwnService({}, { platform })
    afterAll(() => service.close())

    it.each(Object.entries(checks))('PRV-01 %s', async (_, steps) => {
      const client = await connectScim(service)
      const known: Record<string, string> = { domain: client.domain, last: '' }
      for (const name of ['one', 'two']) known[name] = await client.addUser(`${name}@${client.domain}`)
      known.group = await client.addGroup('Desk', [known.one as string])
      const fill = <T>(value: T): T =>
        replaceTexts(value, (text) =>
          text.replace(/\{(\w+)\}/g, (found, name: string) => known[name] ?? found),
        )
      for (const [method, path, body, status, answer] of steps) {
        const filled = path.replace(/%7B(\w+)%7D/gi, '{$1}')
        const response = await client.scim(method, fill(filled), fill(body))
        expect([method, path, response.status], response.text).toEqual([method, path, status])
        if (response.text)
          expect(response.headers.get('content-type')).toBe('application/scim+json; charset=utf-8')
        for (const [name, wanted] of Object.entries(fill(answer ?? {})))
          expect([path, name, response.body[name]]).toEqual([path, name, wanted])
        if (status === 201) {
          known.last = response.body.id
          expect(response.headers.get('location')).toBe(response.body.meta.location)
        }
      }
    })
  })

/** Replace the texts in a value, also in those of asymmetric matchers. */
function replaceTexts<T>(value: T, replace: (text: string) => string): T {
  if (typeof value === 'string') return replace(value) as T
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, replace)) as T
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.create(Object.getPrototypeOf(value)) as Record<string, unknown>
  for (const [name, each] of Object.entries(value)) copy[name] = replaceTexts(each, replace)
  return copy as T
}
