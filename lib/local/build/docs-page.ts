import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'
import { root } from '#local/root.ts'
import type { SampledDocument } from './code-samples.ts'

const sources = join(root, 'lib/http/docs')

/** Write the files of the reference page into a new folder. There are no demo users. */
export async function buildDocsPage(folder: string, document: SampledDocument): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const name of ['start.js', 'style.css', 'favicon.svg'])
    await cp(join(sources, name), join(folder, name))
  const scalarScript = await readScalar()
  const scalarName = `scalar-${createHash('sha256').update(scalarScript).digest('hex').slice(0, 12)}.js`
  await writeFile(join(folder, scalarName), scalarScript)
  const page = await readFile(join(sources, 'index.html'), 'utf8')
  await writeFile(join(folder, 'index.html'), page.replace('scalar.js', scalarName))
  const guides = await readFile(join(sources, 'guides.md'), 'utf8')
  // It loads every operation, for which the start of the laptop should not wait.
  const { createDocsDocument } = await import('./docs-document.ts')
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(createDocsDocument(document, guides)))
  await writeDemoUsers(folder, [])
}

/**
 * Write the users that the page offers to sign in as. Their passwords are readable by everyone who can open
 * the page.
 */
export async function writeDemoUsers(
  folder: string,
  users: readonly { email: string; description: string; password: string }[],
): Promise<void> {
  await writeFile(join(folder, 'demo.json'), JSON.stringify(users))
}

/**
 * Return the script of Scalar's reference. This package contains it as one file; `@scalar/api-reference`
 * installs 287 MB around it.
 */
async function readScalar(): Promise<Buffer> {
  const app = Fastify()
  await app.register(scalar, { routePrefix: '/reference', configuration: { content: '{}' } })
  const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`The script of the reference page was answered with ${statusCode}.`)
  return rawPayload
}
