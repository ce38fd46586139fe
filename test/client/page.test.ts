import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { insertPassword, password } from '#test/contract/fixture-rows.ts'
import { startOwnService } from '#test/support/app.ts'
import { useBrowserPages } from '#test/support/browser-pages.ts'
import { createEscalation } from '#test/support/escalations.ts'
import { createFlow, printerFlow } from '#test/support/flows.ts'
import { startFrontend } from '#test/support/frontend.ts'
import { createAccount } from '#test/support/people.ts'
import { inConsumerProject } from './installed-package.ts'

const flowWithoutPlaceholders = JSON.parse(JSON.stringify(printerFlow()).replaceAll('{{printer_ip}}', 'the printer'))

/** Bundle the page in a project that has installed the package. */
function bundlePage(): Promise<string> {
  return inConsumerProject(async (folder) => {
    await copyFile(join(import.meta.dirname, 'page.tsx'), join(folder, 'page.tsx'))
    const { outputFiles } = await build({
      absWorkingDir: folder,
      entryPoints: ['page.tsx'],
      bundle: true,
      write: false,
      format: 'esm',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      nodePaths: [join(root, 'node_modules')],
    })
    return outputFiles[0]?.text ?? ''
  })
}

const frontend = await startFrontend(await bundlePage())
const service = await startOwnService({ CORS_ORIGINS: frontend })
afterAll(() => service.close())
const openPage = useBrowserPages()

it('lets a React page sign in, run a flow and show live escalations with nothing but the package', async (context) => {
  const { page, problems } = await openPage(context)
  const { admin, addColleague } = await createAccount(service)
  await insertPassword(service, admin)
  await createFlow(admin, { name: 'Printer offline', intake_form: [], tree_structure: flowWithoutPlaceholders })
  await page.goto(`${frontend}?api=${service.api}`)
  const signIn = async (typed: string) => {
    await page.fill('[name=email]', admin.email)
    await page.fill('[name=password]', typed)
    await page.click('text=Sign in')
  }
  await signIn('wrong')
  await page.getByText('Incorrect email or password').waitFor()
  const opened = page.waitForResponse(/escalations\/stream$/)
  await signIn(password)
  for (const name of ['Printer offline', 'No', 'Complete']) await page.getByRole('button', { name, exact: true }).click()
  await page.getByText('The session is completed').waitFor()
  await opened
  await createEscalation(await addColleague(), { urgency: 'high' })
  await page.getByText('high: Reception cannot print since this morning.').waitFor()
  // A reload finds the stored tokens.
  await page.reload()
  await page.getByRole('button', { name: 'Printer offline' }).waitFor()
  expect(problems).toEqual([expect.stringMatching(/\/auth\/login 401$/), expect.stringContaining('401')])
})
