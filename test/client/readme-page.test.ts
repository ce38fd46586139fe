import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { insertPassword, password } from '#test/contract/fixture-rows.ts'
import { startOwnService } from '#test/support/app.ts'
import { useBrowserPages } from '#test/support/browser-pages.ts'
import { createFlow } from '#test/support/flows.ts'
import { startFrontend } from '#test/support/frontend.ts'
import { createAccount } from '#test/support/people.ts'
import { installPackedClient, writeReadmeFiles } from './packed-client.ts'

const openPage = useBrowserPages()
const service = await startOwnService()
afterAll(() => service.close())

/** Bundle the first page of the README in a project that has installed the package. */
async function bundlePage(): Promise<string> {
  const { folder, remove } = await installPackedClient()
  try {
    await writeReadmeFiles(folder)
    const clientFile = join(folder, 'src/client.ts')
    await writeFile(
      clientFile,
      (await readFile(clientFile, 'utf8')).replace('http://127.0.0.1:8787', service.api),
    )
    const { outputFiles } = await build({
      absWorkingDir: folder,
      entryPoints: ['src/main.tsx'],
      bundle: true,
      write: false,
      format: 'esm',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      nodePaths: [join(root, 'node_modules')],
    })
    return outputFiles[0]?.text ?? ''
  } finally {
    await remove()
  }
}

const frontend = await startFrontend(await bundlePage())

it('CLI-05 the first page of the README signs in, lists flows and finds the stored tokens after a reload', async (context) => {
  const { page, problems } = await openPage(context)
  const { admin } = await createAccount(service)
  await insertPassword(service, admin)
  await createFlow(admin, { name: 'Label printer offline' })
  await page.goto(frontend)
  const signIn = async (typed: string) => {
    await page.fill('[name=email]', admin.email)
    await page.fill('[name=password]', typed)
    await page.click('text=Sign in')
  }
  await signIn('wrong')
  await page.getByText('Incorrect email or password').waitFor()
  await signIn(password)
  await page.getByText('Label printer offline').waitFor()
  await page.reload()
  await page.getByText('Label printer offline').waitFor()
  expect(problems).toEqual([expect.stringMatching(/\/auth\/login 401$/), expect.stringContaining('401')])
})
