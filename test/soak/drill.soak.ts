import { mkdtemp, rm, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createDemoEscalation } from '#local/demo.ts'
import { createRoleUrls } from '#local/settings.ts'
import { checkRestored, runDrill } from '#ops/drill.ts'
import { listFolderObjects } from '#platform/node/objects-folder.ts'
import { startOwnService } from '#test/support/app.ts'
import { addLocalPrices } from '#test/support/billing.ts'
import { createFlow } from '#test/support/flows.ts'
import { startNodeChild } from '#test/support/node-child.ts'
import { createAccount } from '#test/support/people.ts'
import { playTour } from '#test/tour/tour.ts'

const folder = await mkdtemp(join(tmpdir(), 'drill-'))
const objects = join(folder, 'objects')
const service = await startOwnService({ OBJECTS_DIR: objects }, { createEscalation: createDemoEscalation })
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})
const listObjects = () => listFolderObjects(objects)

/** Write flows until `work` has ended. Return how many. */
async function writeMeanwhile(work: Promise<unknown>): Promise<number> {
  let isOpen = true
  const end = () => {
    isOpen = false
  }
  work.then(end, end)
  let count = 0
  while (isOpen) {
    // A new account after some calls, below the rate limit of one person.
    const { admin } = await createAccount(service)
    for (let n = 0; n < 50 && isOpen; n++) await createFlow(admin)
    count += 50
  }
  return count
}

it('restores every row of a service that is used meanwhile, and a service runs on the copy', async () => {
  await addLocalPrices(service.ownerUrl)
  await playTour({ api: service.api, dashboard: service.localOrigin }, () => {})
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin)
  const lines: string[] = []
  const branchLines: string[] = []
  const inspect = async (restoredUrl: string) => {
    // A new cluster has roles without passwords, so the copy serves nobody until `migrate` sets them.
    const { pathname, host } = new URL(restoredUrl)
    const urls = createRoleUrls(host, pathname.slice(1))
    const { migrate } = await import('#db/migrate.ts')
    await migrate(restoredUrl, {
      runtime: new URL(urls.DATABASE_URL).password,
      platform: new URL(urls.DATABASE_PLATFORM_URL).password,
    })
    const child = await startNodeChild(service.settings, {
      ...urls,
      PUBLIC_BASE_URL: service.settings.PUBLIC_BASE_URL,
    })
    const response = await fetch(`${child.api}/api/v1/trees/${flow.id}`, {
      headers: { authorization: `Bearer ${admin.token}` },
    })
    expect(await response.json()).toMatchObject({ id: flow.id })
    child.process.kill('SIGTERM')
    await child.exited
    const print = (line: string) => branchLines.push(line)
    expect(
      await checkRestored(restoredUrl, { sourceUrl: service.ownerUrl, listObjects, folder, print }),
    ).toBe(true)
    expect(branchLines.filter((line) => line.startsWith('rows     trees: '))).toHaveLength(1)
  }
  const drill = runDrill({
    sourceUrl: service.ownerUrl,
    listObjects,
    folder: join(folder, 'first'),
    print: (line) => lines.push(line),
    inspect,
  })
  const written = await writeMeanwhile(drill)
  console.log([...lines, `${written} flows were written meanwhile`].join('\n'))
  expect(await drill).toBe(true)
  expect(written).toBeGreaterThan(10)
})

it('fails when an object of a row is missing', async () => {
  const [key = ''] = await listObjects()
  await unlink(join(objects, key))
  const lines: string[] = []
  const options = {
    sourceUrl: service.ownerUrl,
    listObjects,
    folder: join(folder, 'second'),
    print: (line: string) => lines.push(line),
  }
  expect(await runDrill(options)).toBe(false)
  expect(lines).toContain(`PROBLEM  The object ${key} is missing`)
})
