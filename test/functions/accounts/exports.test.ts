import { beforeAll, expect, it } from 'vitest'
import { createExport, downloadExport, readArchive, readRecords } from '../../support/account-exports.ts'
import { type Service, sharedService } from '../../support/app.ts'
import { flowBody } from '../../support/flows.ts'
import { createAccount } from '../../support/people.ts'

let service: Service
beforeAll(async () => {
  service = await sharedService()
})

it('DAT-01 exports the records of the account, its flows as markdown and its uploads', async () => {
  const { admin } = await createAccount(service)
  const flow = await admin.client.flows.trees.create(flowBody({ name: 'Printer offline' }) as never)
  const bytes = await downloadExport(service, admin, await createExport(admin))
  const files = await readArchive(bytes)
  console.log(Object.keys(files), files['manifest.json'])
  expect(readRecords(files, 'flows')).toMatchObject([{ id: flow.id, name: 'Printer offline' }])
  const form = new FormData()
  form.append('file', new Blob([bytes]), 'x.zip')
  const other = (await createAccount(service)).admin
  console.log(
    await other.client.accounts.imports.create({ file: new Blob([bytes]) } as never).catch((e) => JSON.stringify(e.body ?? String(e))),
  )
})
