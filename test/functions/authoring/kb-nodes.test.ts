import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createConvertedImport } from '#test/support/knowledge.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const article = '# Spooler\n\n1. Open the services console.\n2. Restart it.\n\nCheck the queue.'

describe('a node', () => {
  it('KBI-05 moves a node below another node of the same import, but not below itself or its child', async () => {
    const { admin } = await createAccount(service)
    const { id, nodes } = await createConvertedImport(admin, '# A\n\n1. One\n2. Two\n\n# B\n\n1. Three')
    const [a, one, two, b, three] = nodes.map((node) => node.id)
    const edit = (node: string | undefined, change: object) =>
      admin.call('PATCH', `/kb-imports/${id}/nodes/${node}`, change)
    const readOrder = async () =>
      (await admin.call('GET', `/kb-imports/${id}`)).body.nodes.map((node: { id: string }) => node.id)
    expect((await edit(one, { parent_id: b, position: 4 })).body).toMatchObject({ id: one, parent_id: b })
    expectStatus(await edit(three, { position: 2 }), 200)
    expect(await readOrder()).toEqual([a, two, b, three, one])
    expect((await edit(b, { parent_id: null, position: 0 })).body).toMatchObject({ position: 0, title: 'B' })
    expect(await readOrder()).toEqual([b, three, one, a, two])
    const otherImport = await createConvertedImport(admin, 'Else')
    for (const parent_id of [otherImport.nodes[0]?.id, crypto.randomUUID(), one, b])
      expect((await edit(b, { parent_id })).body.errors).toMatchObject([{ loc: ['body', 'parent_id'] }])
    expectStatus(await edit(otherImport.nodes[0]?.id, { title: 'x' }), 404)
    expect((await edit(one, {})).body).toMatchObject({ id: one, title: 'One' })
    expect((await edit(one, { kind: 'note', title: 'Mine', content: 'More' })).body).toMatchObject({
      kind: 'note',
      title: 'Mine',
      content: 'More',
      parent_id: b,
    })
    for (const invalidChange of [
      { kind: 'else' },
      { position: -1 },
      { content: 'x'.repeat(20_001) },
      { position: 1e21 },
    ])
      expectStatus(await edit(one, invalidChange), 422)
    const directUpdate = service.sql('update kb_import_nodes set parent_id = $2 where id = $1', [
      one,
      otherImport.nodes[0]?.id,
    ])
    await expect(directUpdate).rejects.toThrow('foreign key')
  })

  it('KBI-16 a condition that leads elsewhere is a warning for whoever makes a list of steps', async () => {
    const { admin } = await createAccount(service)
    const { id, nodes, warnings } = await createConvertedImport(
      admin,
      '1. Look at the light.\n2. If it is green, go to step 4.\n3. Change the cable.\n4. Open a page.',
    )
    expect(warnings).toEqual([
      'A list of steps cannot branch and shows “If it is green, go to step 4.” as text; a troubleshooting flow asks it.',
    ])
    const jump = nodes.find(({ content }) => content.includes('step 4'))
    await admin.call('PATCH', `/kb-imports/${id}/nodes/${jump?.id}`, { content: 'Skip it if it is green.' })
    expect((await admin.call('GET', `/kb-imports/${id}`)).body.warnings).toEqual([])
  })

  it('keeps the positions of nodes unique under 32 concurrent moves', async () => {
    const { admin, addColleague } = await createAccount(service)
    const { id, nodes } = await createConvertedImport(
      admin,
      Array.from({ length: 10 }, (_, n) => `${n + 1}. Step ${n}`).join('\n'),
    )
    const secondAdmin = await addColleague({ role: 'admin' })
    const responses = await Promise.all(
      Array.from({ length: 32 }, (_, n) =>
        [admin, secondAdmin][n % 2]?.call('PATCH', `/kb-imports/${id}/nodes/${nodes[n % 10]?.id}`, {
          position: (n * 7) % 10,
        }),
      ),
    )
    expect(new Set(responses.map((response) => response?.status))).toEqual(new Set([200]))
    const nodesAfter = (await admin.call('GET', `/kb-imports/${id}`)).body.nodes
    expect(nodesAfter.map(({ position }: { position: number }) => position)).toEqual(nodes.map((_, n) => n))
    expect(nodesAfter.map((node: { id: string }) => node.id).sort()).toEqual(
      nodes.map((node) => node.id).sort(),
    )
  })

  it('creates no cycle when two nodes are moved below each other concurrently', async () => {
    const { admin } = await createAccount(service)
    const { id, nodes } = await createConvertedImport(admin, '1. A\n2. B\n3. C')
    const [a, b] = nodes.map((node) => node.id)
    const moveUnder = (node?: string, parent_id?: string) =>
      admin.call('PATCH', `/kb-imports/${id}/nodes/${node}`, { parent_id })
    const responses = await Promise.all(
      Array.from({ length: 32 }, (_, n) => (n % 2 ? moveUnder(a, b) : moveUnder(b, a))),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 422]))
    const nodesAfter = (await admin.call('GET', `/kb-imports/${id}`)).body.nodes
    expect(nodesAfter.map(({ position }: { position: number }) => position)).toEqual([0, 1, 2])
    expect(nodesAfter[0].parent_id).toBe(null)
    expect(nodesAfter[1].parent_id).toBe(nodesAfter[0].id)
  })
})

describe('a commit', () => {
  it('KBI-04 refuses to commit an unpublishable import, with a message for each problem', async () => {
    const { admin } = await createAccount(service)
    const { id, nodes } = await createConvertedImport(admin, '# A\n\n1. One\n2. Two')
    const commit = (tree_type: string) =>
      admin.call('POST', `/kb-imports/${id}/commit`, { name: 'A', tree_type })
    const editNode = (index: number, change: object) =>
      admin.call('PATCH', `/kb-imports/${id}/nodes/${nodes[index]?.id}`, change)
    await editNode(1, { title: ' ' })
    await editNode(2, { kind: 'decision' })
    for (const [type, messages] of [
      ['procedural', ['This step has no title']],
      [
        'troubleshooting',
        [
          'This action has no title',
          'A decision needs at least 2 options; this one has 0',
          'A decision needs at least 2 nodes below it; this one has 0',
        ],
      ],
    ] as const) {
      const { status, body } = await commit(type)
      expect([status, body.errors.map(({ msg }: { msg: string }) => msg)]).toEqual([422, messages])
      expect(body.errors[0].loc).toContain(nodes[1]?.id)
    }
    expect(
      (await admin.call('GET', '/trees?search=A')).body.filter(
        ({ author_id }: Record<string, string>) => author_id === admin.id,
      ),
    ).toEqual([])
    expect((await admin.call('GET', `/kb-imports/${id}`)).body.status).toBe('converted')
    const headingsOnly = await createConvertedImport(admin, '# Only\n\n## Headings')
    expect(
      (
        await admin.call('POST', `/kb-imports/${headingsOnly.id}/commit`, {
          name: 'A',
          tree_type: 'maintenance',
        })
      ).body.errors,
    ).toMatchObject([{ msg: 'The flow needs at least one procedure_step' }])
    await editNode(1, { title: 'One' })
    expect((await commit('maintenance')).body).toMatchObject({
      tree_type: 'maintenance',
      status: 'published',
    })
  })

  it('creates one flow for 32 concurrent commits, and returns 409 for later changes of the import', async () => {
    const account = await createAccount(service)
    const { id, nodes } = await createConvertedImport(account.admin, article)
    const commit = () =>
      account.admin.call('POST', `/kb-imports/${id}/commit`, { name: 'Once', tree_type: 'troubleshooting' })
    const responses = await Promise.all(Array.from({ length: 32 }, commit))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(31).fill(409)])
    const tree_id = responses.find(({ status }) => status === 201)?.body.id
    const [{ count } = { count: '' }] = await service.sql<{ count: string }>(
      'select count(*) from trees where account_id = $1',
      [account.id],
    )
    expect(count).toBe('1')
    const conflicts = [
      await account.admin.call('PATCH', `/kb-imports/${id}/nodes/${nodes[0]?.id}`, { title: 'x' }),
      await account.admin.call('POST', `/kb-imports/${id}/convert`),
      ...responses.filter(({ status }) => status === 409),
    ]
    for (const { status, body } of conflicts)
      expect([status, body.code, body.tree_id]).toEqual([409, 'already_committed', tree_id])
    expectStatus(await account.admin.call('DELETE', `/kb-imports/${id}`), 204)
    expectStatus(await account.admin.call('GET', `/trees/${tree_id}`), 200)
    const unconverted = await account.admin.call('POST', '/kb-imports', {
      title: 'Article',
      content: 'Some text',
      format: 'markdown',
    })
    expect(
      (
        await account.admin.call('POST', `/kb-imports/${unconverted.body.id}/commit`, {
          name: 'x',
          tree_type: 'procedural',
        })
      ).body.code,
    ).toBe('not_converted')
  })
})
