import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { loadContent } from '#db/content.ts'
import { readFlowMarkdown } from '#rules/flows/markdown/read.ts'
import { writeFlowMarkdown } from '#rules/flows/markdown/write.ts'
import { type CopiedColumn, columnDefaults, contentFields, copiedColumns } from '#rules/flows/rfflow.ts'
import { createExport, downloadExport, readArchive } from '#test/support/account-exports.ts'
import { importArchive } from '#test/support/account-imports.ts'
import { sharedService } from '#test/support/app.ts'
import { createFlow, printerFlow, printerForm } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'

type Values = Record<CopiedColumn, unknown>

/** Return a value of a column that is not its default. */
function chooseValue(column: CopiedColumn): unknown {
  const defaultValue = (columnDefaults as Partial<Values>)[column]
  let schema: z.ZodType = contentFields[column]
  while (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    schema = schema.unwrap() as z.ZodType
  if (schema instanceof z.ZodEnum) return schema.options.find((option) => option !== defaultValue)
  if (schema instanceof z.ZodArray) return ['Value']
  if (schema instanceof z.ZodString) return 'A value'
  throw new Error(`Choose a value for ${column}`)
}

const values = Object.fromEntries(copiedColumns.map((column) => [column, chooseValue(column)])) as Values
const content = { tree_structure: printerFlow(), intake_form: printerForm }
const pickColumns = (flow: object) =>
  Object.fromEntries(Object.entries(flow).filter(([column]) => column in values))

const service = await sharedService()
const createAdmin = async () => (await createAccount(service)).admin
const read = async ({ client }: Person, id: string) =>
  pickColumns(await client.flows.trees.get({ tree_id: id }))

describe('a flow of which every column differs from its default', () => {
  let admin: Person
  let flow: { id: string }
  beforeAll(async () => {
    admin = await createAdmin()
    flow = await createFlow(admin, { ...values, ...content })
  })

  it('FLO-64 is stored and listed', async () => {
    expect(await read(admin, flow.id)).toEqual(values)
    expect((await admin.client.flows.trees.list({})).map(pickColumns)).toContainEqual(values)
  })

  it('FLO-64 is forked with each of them', async () => {
    const fork = await admin.client.flows.forks.create({ tree_id: flow.id })
    expect(pickColumns(fork)).toEqual(values)
  })

  it('FLO-64 keeps each of them in an .rfflow file', async () => {
    const { body } = await admin.call('GET', `/trees/${flow.id}/export`)
    const { tree_id } = await admin.client.flows.transfer.import(body)
    expect(await read(admin, tree_id)).toEqual(values)
  })

  it('FLO-64 keeps each of them as markdown', async () => {
    const { flow: copy } = readFlowMarkdown(
      writeFlowMarkdown((await admin.client.flows.trees.get({ tree_id: flow.id })) as never),
    )
    expect(pickColumns(copy ?? {})).toEqual(values)
  })

  it('FLO-64 keeps each of them in the archive of an account, as a record and as markdown', async () => {
    const bytes = await downloadExport(service, admin, await createExport(admin))
    const markdown = Object.entries(await readArchive(bytes)).find(([name]) =>
      name.endsWith(`${flow.id}.md`),
    )?.[1]
    expect(pickColumns(readFlowMarkdown(markdown ?? '').flow ?? {})).toEqual(values)
    const other = await createAdmin()
    await importArchive(other, bytes)
    expect((await other.client.flows.trees.list({})).map(pickColumns)).toContainEqual(values)
  })
})

it('FLO-64 an update changes each column, and keeps those that it does not name', async () => {
  const admin = await createAdmin()
  const { tree_type, name, ...changes } = values
  const { id } = await createFlow(admin, { tree_type, name, ...content })
  expect(await read(admin, id)).toEqual({ tree_type, name, ...columnDefaults })
  await admin.call('PUT', `/trees/${id}`, changes)
  expect(await read(admin, id)).toEqual(values)
  await admin.client.flows.trees.update({ tree_id: id, intake_form: [] })
  expect(await read(admin, id)).toEqual(values)
})

it('FLO-64 a flow that ships with the service has each column of its file', async () => {
  const rows: unknown[] = []
  const client = {
    query: async (_: string, [, row]: unknown[]) => {
      rows.push(row)
      return { rowCount: 1 }
    },
  }
  const flow = { ...values, ...content, id: 'a', category: 'Printing', categoryId: 'b', file: 'a.md' }
  await loadContent(client, { categories: [], deviceTypes: [], flows: [flow as never] })
  expect(pickColumns(JSON.parse(String(rows[0])))).toEqual(values)
})
