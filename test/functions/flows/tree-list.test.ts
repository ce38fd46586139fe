import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, patchForm, patchProcedure } from '#test/support/flows.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'

const service = await sharedService()

interface ListItem {
  id: string
  name: string
  account_id: string
}
/** Return the names of the items that belong to the account, in list order. */
const getOwnNames = (account: TestAccount, items: ListItem[]) =>
  items.filter(({ account_id }) => account_id === account.id).map(({ name }) => name)
const listNames = async (account: TestAccount, query: string, person: Person = account.admin) =>
  getOwnNames(account, (await person.call('GET', `/trees?limit=100&${query}`)).body)

async function setColumns(id: string, values: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(values).map((name, n) => `${name} = $${n + 2}`)
  await service.sql(`update trees set ${columns.join(', ')} where id = $1`, [id, ...Object.values(values)])
}

describe('the list of flows', () => {
  it('FLO-09 FLO-10 sorts by each sort_by value, by usage count by default, and rejects an unknown value', async () => {
    const account = await createAccount(service)
    const day = (n: number) => `2026-01-0${n}T00:00:00Z`
    for (const [name, usage_count, version, created, updated] of [
      ['beta', 5, 1, 1, 9],
      ['Alpha', 9, 3, 3, 8],
      ['gamma', 1, 2, 2, 7],
    ] as const) {
      const { id } = await createFlow(account.admin, { name })
      await setColumns(id, { usage_count, version, created_at: day(created), updated_at: day(updated) })
      await service.sql(`update tree_versions set version = $2 where tree_id = $1`, [id, version])
    }
    const sorted: Record<string, string[]> = {}
    for (const sort of ['', 'usage_count', 'updated_at', 'created_at', 'name', 'name_desc', 'version'])
      sorted[sort] = await listNames(account, sort ? `sort_by=${sort}` : '')
    expect(sorted).toEqual({
      '': ['Alpha', 'beta', 'gamma'],
      usage_count: ['Alpha', 'beta', 'gamma'],
      updated_at: ['beta', 'Alpha', 'gamma'],
      created_at: ['Alpha', 'gamma', 'beta'],
      name: ['Alpha', 'beta', 'gamma'],
      name_desc: ['gamma', 'beta', 'Alpha'],
      version: ['Alpha', 'gamma', 'beta'],
    })
    expectStatus(await account.admin.call('GET', '/trees?sort_by=stars'), 422)
  })

  it('FLO-11 applies each filter alone and several together', async () => {
    const account = await createAccount(service)
    const colleague = await account.addColleague()
    await createFlow(account.admin, {
      name: 'A',
      category: 'Printing',
      tags: ['Printer'],
      visibility: 'account',
    })
    await createFlow(account.admin, { name: 'B', status: 'draft' })
    await createFlow(colleague, {
      name: 'C',
      tree_type: 'procedural',
      tree_structure: patchProcedure(),
      intake_form: patchForm,
    })
    const namesByQuery: Record<string, string[]> = {}
    const queries = [
      'visibility=account',
      `author_id=${colleague.id}`,
      'category=printing',
      'tag=printer',
      'status=draft',
      'tree_type=procedural',
    ]
    for (const query of [
      ...queries,
      'visibility=account&tag=PRINTER&category=Printing',
      'tag=printer&status=draft',
      'tag=other',
    ])
      namesByQuery[query.replace(colleague.id, 'colleague')] = await listNames(
        account,
        `sort_by=name&${query}`,
      )
    expect(namesByQuery).toEqual({
      'visibility=account': ['A'],
      'author_id=colleague': ['C'],
      'category=printing': ['A'],
      'tag=printer': ['A'],
      'status=draft': ['B'],
      'tree_type=procedural': ['C'],
      'visibility=account&tag=PRINTER&category=Printing': ['A'],
      'tag=printer&status=draft': [],
      'tag=other': [],
    })
  })

  it('finds flows that contain every search word in name, description or tags, and treats wildcards literally', async () => {
    const account = await createAccount(service)
    await createFlow(account.admin, {
      name: 'VPN drops',
      description: 'FortiClient at 98%',
      tags: ['Remote'],
    })
    await createFlow(account.admin, { name: 'VPN slow', description: 'FortiClient at 98x' })
    const search = (words: string) => listNames(account, `sort_by=name&search=${encodeURIComponent(words)}`)
    expect(await search('vpn')).toEqual(['VPN drops', 'VPN slow'])
    expect(await search('forti DROPS')).toEqual(['VPN drops'])
    expect(await search('remote')).toEqual(['VPN drops'])
    expect(await search('98%')).toEqual(['VPN drops'])
    expect(await search('_pn')).toEqual([])
    expect(await search("'; drop table trees; --")).toEqual([])
  })

  it('FLO-48 omits flows that the caller cannot see from searches and filters', async () => {
    const account = await createAccount(service)
    const otherAccount = await createAccount(service)
    const colleague = await account.addColleague()
    await createFlow(account.admin, { name: 'Hidden recipe', visibility: 'private', tags: ['secret'] })
    await createFlow(otherAccount.admin, { name: 'Hidden recipe', visibility: 'public', tags: ['secret'] })
    for (const query of [
      'search=hidden',
      'tag=secret',
      'visibility=private',
      'search=hidden&visibility=public',
    ])
      expect((await colleague.call('GET', `/trees?${query}`)).body).toEqual([])
    expect(await listNames(account, 'search=hidden')).toEqual(['Hidden recipe'])
  })

  it('FLO-48 fills a page with visible flows when invisible flows lie between them', async () => {
    const account = await createAccount(service)
    const teamless = await account.addColleague({ teamId: null })
    for (const name of ['A', 'B'])
      await createFlow(account.admin, { name, visibility: 'account', tags: ['shared'] })
    for (const visibility of ['private', 'team', 'private'])
      await createFlow(account.admin, { visibility, tags: ['shared'] })
    for (const query of [
      'sort_by=created_at&tag=shared',
      'sort_by=version&tag=shared',
      `author_id=${account.admin.id}`,
    ]) {
      const { body, headers } = await teamless.call('GET', `/trees?limit=1&${query}`)
      expect([getOwnNames(account, body), headers.get('link') !== null], query).toEqual([['B'], true])
    }
  })

  it.each(['usage_count', 'updated_at', 'created_at', 'name', 'name_desc', 'version'] as const)(
    'WIR-67 by %s hides no flow when earlier ones are deleted',
    async (sort_by) => {
      const { admin } = await createAccount(service)
      for (let n = 0; n < 6; n++) await createFlow(admin, { name: `Flow ${n % 3}`, tags: ['walked'] })
      const expected = (await admin.client.flows.trees.list({ tag: 'walked', sort_by })).map(({ id }) => id)
      const walked: string[] = []
      for await (const { id } of admin.client.flows.trees.list({ tag: 'walked', sort_by, limit: 2 })) {
        walked.push(id)
        if (walked.length === 2)
          for (const tree_id of walked) await admin.client.flows.trees.delete({ tree_id })
      }
      expect(walked).toEqual(expected)
    },
  )

  it('WIR-21 returns each flow on exactly one page, in every sort order', async () => {
    const account = await createAccount(service)
    for (let n = 0; n < 7; n++) await createFlow(account.admin, { name: `Flow ${n % 3}`, tags: ['paged'] })
    for (const sort of ['usage_count', 'updated_at', 'created_at', 'name', 'name_desc', 'version']) {
      const ids: string[] = []
      for (let skip = 0; skip < 8; skip += 3) {
        const { body, headers } = await account.admin.call(
          'GET',
          `/trees?tag=paged&sort_by=${sort}&skip=${skip}&limit=3`,
        )
        ids.push(...body.map(({ id }: ListItem) => id))
        expect(headers.get('link') !== null).toBe(skip + 3 < 7)
      }
      expect(new Set(ids).size, sort).toBe(7)
    }
  })
})
