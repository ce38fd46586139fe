import { expect, it } from 'vitest'
import type { TreeStructure } from '#rules/flows/structure.ts'
import { listSubflows } from '#rules/flows/subflow.ts'
import { createArchive } from '#test/contract/fixtures-exports.ts'
import { createExport, downloadExport, readArchive } from '#test/support/account-exports.ts'
import { importArchive } from '#test/support/account-imports.ts'
import { sharedService } from '#test/support/app.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createChildFlow, createParentFlow } from '#test/support/subflows.ts'

const service = await sharedService()

/** Export a flow `Parent` that runs a flow `Child`. Return the files of the archive and the ids. */
async function createScene() {
  const [{ admin }, { admin: other }] = [await createAccount(service), await createAccount(service)]
  const child = await createChildFlow(admin, { name: 'Child' })
  const parent = await createParentFlow(admin, child.id, {}, { name: 'Parent' })
  const files = await readArchive(await downloadExport(service, admin, await createExport(admin)))
  return { other, files, childId: child.id as string, parentId: parent.id as string }
}

const importFiles = async (person: Person, files: Record<string, string>) =>
  importArchive(person, await createArchive(files))

async function findFlow({ client }: Person, name: string) {
  const [item] = await client.flows.trees.list({ search: name })
  return client.flows.trees.get({ tree_id: item?.id ?? '' })
}

it('SUB-25 connects the sub-flows of an imported account with its new flows', async () => {
  const { other, files } = await createScene()
  expect(await importFiles(other, files)).toMatchObject({ skipped: [] })
  const [parent, child] = [await findFlow(other, 'Parent'), await findFlow(other, 'Child')]
  expect(listSubflows(parent.tree_structure as TreeStructure).map(({ subflow }) => subflow.tree_id)).toEqual([
    child.id,
  ])
})

it('SUB-25 imports a flow without a sub-flow that is not in the archive, and names it', async () => {
  const { other, files, childId } = await createScene()
  const versions = (files['flow_versions.jsonl'] ?? '').replace(
    `"subflow":{"tree_id":"${childId}"`,
    `"subflow":{"tree_id":"${crypto.randomUUID()}"`,
  )
  const changed = versions.replace(`"tree_id": "${childId}"}`, `"tree_id": "${crypto.randomUUID()}"}`)
  const result = await importFiles(other, { ...files, 'flow_versions.jsonl': changed })
  expect(result).toMatchObject({ restored: { flows: 2 }, skipped: [{ kind: 'subflows', name: 'Parent' }] })
  expect(listSubflows((await findFlow(other, 'Parent')).tree_structure as TreeStructure)).toEqual([])
})

it('SUB-21 refuses an archive whose flows run each other, and imports nothing', async () => {
  const { other, files, childId, parentId } = await createScene()
  const versions = (files['flow_versions.jsonl'] ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const child = versions.find(({ tree_id }) => tree_id === childId)
  child.tree_structure.steps[1].subflow = { tree_id: parentId }
  const lines = versions.map((version) => `${JSON.stringify(version)}\n`).join('')
  expect(await importFiles(other, { ...files, 'flow_versions.jsonl': lines })).toMatchObject({
    status: 'failed',
    problem: { code: 'flow_invalid' },
  })
  expect(await other.client.flows.trees.list({ search: 'Parent' })).toEqual([])
})
