// @module-tag shape
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { routeGroups } from '#functions/routes.ts'
import { getGroup } from '#http/openapi/document.ts'
import type { AnyOperation } from '#http/operation.ts'
import { loadOperations } from '#http/routes.ts'
import { root } from '#local/root.ts'

const functions = join(root, 'functions')
const files = readdirSync(functions, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
)
const groups = files
  .filter((path) => path.endsWith('/operations.ts') && !path.startsWith('jobs/'))
  .map((path) => dirname(path))

/**
 * Return the group of a folder: `flows.stepLibrary` for `flows/step-library`, and `scripts` for
 * `scripts/scripts`.
 */
function toGroup(folder: string): string {
  const [subject, group] = folder
    .split('/')
    .map((part) => part.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()))
  return !group || group === subject ? String(subject) : `${subject}.${group}`
}

async function operationsIn(folder: string): Promise<AnyOperation[]> {
  const module: Record<string, AnyOperation[]> = await import(join(functions, folder, 'operations.ts'))
  return Object.values(module).flat()
}

it.each(groups)('the operation ids of functions/%s start with the group of the folder', async (folder) => {
  const prefixes = new Set((await operationsIn(folder)).map(getGroup))
  expect([...prefixes]).toEqual([toGroup(folder)])
})

it('functions/operations.ts lists the operations of every group', async () => {
  const declared = (await Promise.all(groups.map(operationsIn))).flat().map(({ id }) => id)
  expect(operations.map(({ id }) => id).toSorted()).toEqual(declared.toSorted())
})

it('functions/routes.ts lists the same operations in the same order', async () => {
  expect((await loadOperations(routeGroups)).map(({ id }) => id)).toEqual(operations.map(({ id }) => id))
})

it('a group contains only the files operations, schemas, service and queries', () => {
  const allowed =
    /^(app|cloudflare|node|operations|routes|tags|work)\.ts$|\/(operations|schemas|service|queries)\.ts$|^(mcp|oauth|scim|staff)\//
  expect(files.map((path) => relative('.', path)).filter((path) => !allowed.test(path))).toEqual([])
  expect(files.filter((path) => path.split('/').length > 3)).toEqual([])
})

it('the declaration in README.md is that of its file', async () => {
  const text = await readFile(join(root, 'README.md'), 'utf8')
  const [, file = '', declaration = ''] = /```ts\n\/\/ (\S+)\n([\s\S]*?)```/.exec(text) ?? []
  const source = await readFile(join(root, file), 'utf8')
  expect(source.replaceAll(/^ {2}/gm, '')).toContain(declaration.replace(/\n$/, ''))
})
