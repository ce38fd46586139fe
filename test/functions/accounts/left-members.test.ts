import { describe, expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { claimHandoff, escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()

/** Create a session of a colleague who has left since. */
async function createScene() {
  const account = await createAccount(service)
  const leaver = await account.addColleague()
  const session = await createAiSession(leaver, { session_type: 'guided', client_name: 'Contoso Dental' })
  const leave = async () =>
    expectStatus(await account.admin.call('DELETE', `/accounts/me/members/${leaver.id}`), 204)
  const path = `/ai-sessions/${session.id}`
  const listLeft = async (person: Person) =>
    expectStatus(await person.call('GET', '/ai-sessions?owner_left=true'), 200).body.map(
      ({ id }: { id: string }) => id,
    )
  return { account, leaver, session, path, leave, listLeft }
}

describe('a session of a member who has left', () => {
  it('AIS-45 is read, listed, handed over and closed by account admins and admins of its team, by nobody else', async () => {
    const { account, session, path, leave, listLeft } = await createScene()
    const { admin } = account
    const teamAdmin = await account.addColleague({ teamRole: 'admin' })
    const [otherTeam] = await service.sql<{ id: string }>(
      `insert into teams (account_id, name) values ($1, 'Other') returning id`,
      [account.id],
    )
    const otherAdmin = await account.addColleague({ teamRole: 'admin', teamId: otherTeam?.id ?? '' })
    const engineer = await account.addColleague()
    for (const person of [admin, teamAdmin, otherAdmin, engineer]) {
      expectStatus(await person.call('GET', path), 404)
      expect(await listLeft(person)).toEqual([])
    }
    await leave()
    for (const person of [otherAdmin, engineer]) {
      expectStatus(await person.call('GET', path), 404)
      expectStatus(await person.call('POST', `${path}/abandon`), 404)
      expect(await listLeft(person)).toEqual([])
    }
    for (const person of [admin, teamAdmin]) {
      expect(expectStatus(await person.call('GET', path), 200).body).toMatchObject({
        client_name: 'Contoso Dental',
      })
      expect(await listLeft(person)).toEqual([session.id])
    }
    expect((await admin.call('GET', '/ai-sessions')).body).toEqual([])
    await escalateSession(teamAdmin, session.id, { target_user_id: engineer.id })
    expectStatus(await pickUpSession(engineer, session.id), 200)
    expectStatus(await admin.call('GET', path), 404)
    expectStatus(await engineer.call('POST', `${path}/resolve`, { outcome: 'resolved' }), 200)
  })

  it('AIS-45 is closed by an admin', async () => {
    const { account, path, leave, listLeft } = await createScene()
    await leave()
    expectStatus(await account.admin.call('POST', `${path}/abandon`), 200)
    expectStatus(await account.admin.call('DELETE', path), 204)
    expect(await listLeft(account.admin)).toEqual([])
  })

  it('AIS-46 waits for a colleague again if whoever claimed it leaves before picking it up', async () => {
    const { account, leaver, leave } = await createScene()
    const owner = await account.addColleague()
    const { id } = await createAiSession(owner)
    const { handoffId } = await escalateSession(owner, id)
    expectStatus(await claimHandoff(leaver, id, handoffId), 200)
    await leave()
    const colleague = await account.addColleague()
    expect((await owner.call('GET', `/ai-sessions/${id}`)).body).toMatchObject({ status: 'escalated' })
    expectStatus(await claimHandoff(colleague, id, handoffId), 200)
  })
})

describe('a private flow of a member who has left', () => {
  it('FLO-67 is seen and changed by account admins, by nobody else', async () => {
    const account = await createAccount(service)
    const leaver = await account.addColleague()
    const teamAdmin = await account.addColleague({ teamRole: 'admin' })
    const { id } = await createFlow(leaver, { visibility: 'private' })
    const getAs = async (person: Person) => (await person.call('GET', `/trees/${id}`)).status
    expect([await getAs(account.admin), await getAs(teamAdmin)]).toEqual([404, 404])
    expectStatus(await account.admin.call('DELETE', `/accounts/me/members/${leaver.id}`), 204)
    expect([await getAs(account.admin), await getAs(teamAdmin)]).toEqual([200, 404])
    expectStatus(await account.admin.call('PUT', `/trees/${id}`, { visibility: 'account' }), 200)
    expect(await getAs(teamAdmin)).toBe(200)
  })
})

const goal = 'Write a flow for a label printer that shows as offline'
const ways = [
  {
    name: 'a script-builder session',
    list: '/script-builder/sessions',
    start: async (person: Person) =>
      expectStatus(await person.call('POST', '/script-builder/sessions', { origin: 'standalone' }), 201).body
        .id,
    finish: { path: '/save-to-library', body: { name: 'Restart', script_body: 'systemctl restart cups\n' } },
  },
  {
    name: 'a flow-builder conversation',
    list: '/ai/flow-builder/conversations',
    start: async (person: Person) =>
      expectStatus(
        await person.call('POST', '/ai/flow-builder/conversations', { goal, tree_type: 'procedural' }),
        201,
      ).body.id,
    finish: { path: '/commit', body: {} },
  },
]

describe.each(ways)('$name of a member who has left', ({ list, start, finish }) => {
  it("SBD-10 AIA-11 is read, listed, finished and deleted by account admins and admins of the member's team, by nobody else", async () => {
    const account = await createAccount(service)
    const { admin } = account
    const [leaver, engineer, teamAdmin] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague({ teamRole: 'admin' }),
    ]
    const [team] = await service.sql<{ id: string }>(
      `insert into teams (account_id, name) values ($1, 'Other') returning id`,
      [account.id],
    )
    const otherAdmin = await account.addColleague({ teamRole: 'admin', teamId: team?.id ?? '' })
    const [first, second] = [await start(leaver), await start(leaver)]
    const own = await start(admin)
    const listIds = async (person: Person, query = '') =>
      expectStatus(await person.call('GET', `${list}${query}`), 200).body.map(
        (item: { id: string }) => item.id,
      )
    for (const person of [admin, teamAdmin, otherAdmin, engineer]) {
      expectStatus(await person.call('GET', `${list}/${first}`), 404)
      expect(await listIds(person, '?owner_left=true')).toEqual([])
    }
    expectStatus(await admin.call('DELETE', `/accounts/me/members/${leaver.id}`), 204)
    for (const person of [otherAdmin, engineer]) {
      expectStatus(await person.call('GET', `${list}/${first}`), 404)
      expectStatus(await person.call('POST', `${list}/${first}${finish.path}`, finish.body), 404)
      expectStatus(await person.call('DELETE', `${list}/${first}`), 404)
      expect(await listIds(person, '?owner_left=true')).toEqual([])
    }
    for (const person of [admin, teamAdmin]) {
      expect(expectStatus(await person.call('GET', `${list}/${first}`), 200).body.id).toBe(first)
      expect(await listIds(person, '?owner_left=true')).toEqual([second, first])
    }
    expect(await listIds(admin)).toEqual([own])
    expectStatus(await admin.call('POST', `${list}/${first}${finish.path}`, finish.body), 201)
    expectStatus(await teamAdmin.call('DELETE', `${list}/${second}`), 204)
    expect(await listIds(admin, '?owner_left=true')).not.toContain(second)
  })
})
