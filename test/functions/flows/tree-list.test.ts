import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newFlow, patchForm, patchSteps } from '../../support/flows.ts'
import { type AccountOf, newAccount, type Person } from '../../support/people.ts'

const service = shared()

interface Listed {
  id: string
  name: string
  account_id: string
}
/** The names of the account's own flows in an answer, in its order. */
const own = (account: AccountOf, items: Listed[]) => items.filter(({ account_id }) => account_id === account.id).map(({ name }) => name)
const names = async (account: AccountOf, query: string, who: Person = account.admin) =>
  own(account, (await who.call('GET', `/trees?limit=100&${query}`)).body)

async function setFlow(id: string, change: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(change).map((name, n) => `${name} = $${n + 2}`)
  await service.sql(`update trees set ${columns.join(', ')} where id = $1`, [id, ...Object.values(change)])
}

describe('the list of flows', () => {
  it('FLO-09 FLO-10 sorts by use unless asked otherwise', async () => {
    const account = await newAccount(service)
    const day = (n: number) => `2026-01-0${n}T00:00:00Z`
    for (const [name, usage_count, version, created, updated] of [
      ['beta', 5, 1, 1, 9],
      ['Alpha', 9, 3, 3, 8],
      ['gamma', 1, 2, 2, 7],
    ] as const) {
      const { id } = await newFlow(account.admin, { name })
      await setFlow(id, { usage_count, version, created_at: day(created), updated_at: day(updated) }).catch(() => {})
      await service.sql(`update tree_versions set version = $2 where tree_id = $1`, [id, version])
    }
    const sorted: Record<string, string[]> = {}
    for (const sort of ['', 'usage_count', 'updated_at', 'created_at', 'name', 'name_desc', 'version'])
      sorted[sort] = await names(account, sort ? `sort_by=${sort}` : '')
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

  it('FLO-11 filters by each of its filters, and by all together', async () => {
    const account = await newAccount(service)
    const colleague = await account.colleague()
    await newFlow(account.admin, { name: 'A', category: 'Printing', tags: ['Printer'], visibility: 'account' })
    await newFlow(account.admin, { name: 'B', status: 'draft' })
    await newFlow(colleague, { name: 'C', tree_type: 'procedural', tree_structure: patchSteps(), intake_form: patchForm })
    const found: Record<string, string[]> = {}
    const queries = [
      'visibility=account',
      `author_id=${colleague.id}`,
      'category=printing',
      'tag=printer',
      'status=draft',
      'tree_type=procedural',
    ]
    for (const query of [...queries, 'visibility=account&tag=PRINTER&category=Printing', 'tag=printer&status=draft', 'tag=other'])
      found[query.replace(colleague.id, 'colleague')] = await names(account, `sort_by=name&${query}`)
    expect(found).toEqual({
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

  it('finds every word in name, description and tags, and takes no character for a wildcard', async () => {
    const account = await newAccount(service)
    await newFlow(account.admin, { name: 'VPN drops', description: 'FortiClient at 98%', tags: ['Remote'] })
    await newFlow(account.admin, { name: 'VPN slow', description: 'FortiClient at 98x' })
    const search = (words: string) => names(account, `sort_by=name&search=${encodeURIComponent(words)}`)
    expect(await search('vpn')).toEqual(['VPN drops', 'VPN slow'])
    expect(await search('forti DROPS')).toEqual(['VPN drops'])
    expect(await search('remote')).toEqual(['VPN drops'])
    expect(await search('98%')).toEqual(['VPN drops'])
    expect(await search('_pn')).toEqual([])
    expect(await search("'; drop table trees; --")).toEqual([])
  })

  it('FLO-48 finds nothing that the caller does not see', async () => {
    const account = await newAccount(service)
    const other = await newAccount(service)
    const colleague = await account.colleague()
    await newFlow(account.admin, { name: 'Hidden recipe', visibility: 'private', tags: ['secret'] })
    await newFlow(other.admin, { name: 'Hidden recipe', visibility: 'public', tags: ['secret'] })
    for (const query of ['search=hidden', 'tag=secret', 'visibility=private', 'search=hidden&visibility=public'])
      expect((await colleague.call('GET', `/trees?${query}`)).body).toEqual([])
    expect(await names(account, 'search=hidden')).toEqual(['Hidden recipe'])
  })

  it('FLO-48 fills a page past what the caller does not see', async () => {
    const account = await newAccount(service)
    const other = await account.colleague({ teamId: null })
    for (const name of ['A', 'B']) await newFlow(account.admin, { name, visibility: 'account', tags: ['shared'] })
    for (const visibility of ['private', 'team', 'private']) await newFlow(account.admin, { visibility, tags: ['shared'] })
    for (const query of ['sort_by=created_at&tag=shared', 'sort_by=version&tag=shared', `author_id=${account.admin.id}`]) {
      const { body, headers } = await other.call('GET', `/trees?limit=1&${query}`)
      expect([own(account, body), headers.get('link') !== null], query).toEqual([['B'], true])
    }
  })

  it('WIR-21 pages without repeating or losing a flow, in every order', async () => {
    const account = await newAccount(service)
    for (let n = 0; n < 7; n++) await newFlow(account.admin, { name: `Flow ${n % 3}`, tags: ['paged'] })
    for (const sort of ['usage_count', 'updated_at', 'created_at', 'name', 'name_desc', 'version']) {
      const seen: string[] = []
      for (let skip = 0; skip < 8; skip += 3) {
        const { body, headers } = await account.admin.call('GET', `/trees?tag=paged&sort_by=${sort}&skip=${skip}&limit=3`)
        seen.push(...body.map(({ id }: Listed) => id))
        expect(headers.get('link') !== null).toBe(skip + 3 < 7)
      }
      expect(new Set(seen).size, sort).toBe(7)
    }
  })
})
