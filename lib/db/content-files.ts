import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import * as z from 'zod'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { deviceCategories } from '#rules/diagrams/schema.ts'
import { checkFlowMarkdown, readFlowMarkdown } from '#rules/flows/markdown/read.ts'
import type { FlowContent } from '#rules/flows/rfflow.ts'

export interface Category {
  id: string
  name: string
}

export interface DeviceType {
  id: string
  name: string
  category: string
  icon: string
}

export interface StarterFlow extends FlowContent {
  id: string
  /** The id of the flow's category. */
  categoryId: string
}

/**
 * The content that the platform ships. Each entry names its file, relative to the folder of the migrations.
 */
export interface PlatformContent {
  categories: (Category & { file: string })[]
  deviceTypes: (DeviceType & { file: string })[]
  flows: (StarterFlow & { file: string })[]
}

const Id = z.guid()
const Name = z.string().trim().min(1).max(200)
const Categories = z.array(z.strictObject({ id: Id, name: Name }))
const DeviceTypes = z.array(z.strictObject({ id: Id, name: Name, icon: z.string().min(1).max(100) }))
const DeviceCategory = z.enum(deviceCategories)

type Report = (file: string, line: number, message: string) => void

/**
 * Read and check the files in `content` below `folder`. Throw an error that lists each problem as `file:line:
 * message`.
 */
export async function readContent(folder: string): Promise<PlatformContent> {
  const problems: string[] = []
  const report: Report = (file, line, message) => problems.push(`${file}:${line}: ${message}`)
  const categories = await readCategories(folder, report)
  const deviceTypes = await readDeviceTypes(folder, report)
  const flows = await readFlows(folder, categories, report)
  for (const entries of [categories, deviceTypes, flows]) reportRepeatedIds(entries, report)
  if (problems.length > 0) throw new Error(`The platform's content is not valid:\n${problems.join('\n')}`)
  return { categories, deviceTypes, flows }
}

async function readCategories(folder: string, report: Report): Promise<PlatformContent['categories']> {
  const file = 'content/categories.json'
  const text = await readFile(join(folder, file), 'utf8')
  return parseJsonFile(Categories, file, text, report).map((category) => ({ ...category, file }))
}

/** Read the device types. The name of each file is the category of its device types. */
async function readDeviceTypes(folder: string, report: Report): Promise<PlatformContent['deviceTypes']> {
  const deviceTypes: PlatformContent['deviceTypes'] = []
  for (const file of await listFiles(folder, 'content/device-types', '.json')) {
    const category = file.slice('content/device-types/'.length, -'.json'.length)
    if (!DeviceCategory.safeParse(category).success)
      report(file, 1, `The file must be named after one of ${DeviceCategory.options.join(', ')}`)
    const entries = parseJsonFile(DeviceTypes, file, await readFile(join(folder, file), 'utf8'), report)
    for (const entry of entries) deviceTypes.push({ ...entry, category, file })
  }
  return deviceTypes
}

async function readFlows(
  folder: string,
  categories: readonly Category[],
  report: Report,
): Promise<PlatformContent['flows']> {
  const idByCategory = new Map(categories.map(({ id, name }) => [name, id]))
  const flows: PlatformContent['flows'] = []
  for (const file of await listFiles(folder, 'content/flows', '.md')) {
    const flow = readFlow(await readFile(join(folder, file), 'utf8'), idByCategory, (line, message) =>
      report(file, line, message),
    )
    if (flow) flows.push({ ...flow, file })
  }
  return flows
}

/**
 * Read a flow in the format of lib/rules/flows/markdown, whose front matter starts with an additional line
 * `id:`.
 */
function readFlow(
  text: string,
  idByCategory: ReadonlyMap<string, string>,
  report: (line: number, message: string) => void,
): StarterFlow | undefined {
  const [, id] = /^---\r?\nid: (\S+)\r?\n/.exec(text) ?? []
  if (!Id.safeParse(id).success)
    return void report(2, 'The front matter must start with a line id: and the UUID of the flow')
  // An empty line takes the place of the id, so that the line numbers of problems stay right.
  const markdown = text.replace(/^id: .*$/m, '')
  const { flow } = readFlowMarkdown(markdown)
  const problems = runWithin(createBudget({ steps: jobSteps }), () => checkFlowMarkdown(markdown))
  for (const { line, message } of problems) report(line, message)
  if (!flow || !id || problems.length > 0) return undefined
  const categoryId = idByCategory.get(flow.category ?? '')
  if (categoryId) return { ...flow, id, categoryId }
  const categoryLine = text.split('\n').findIndex((line) => line.startsWith('category:')) + 1
  return void report(categoryLine || 1, 'The flow needs a category that is in content/categories.json')
}

async function listFiles(folder: string, subfolder: string, extension: string): Promise<string[]> {
  const names = await readdir(join(folder, subfolder))
  return names
    .filter((name) => name.endsWith(extension))
    .sort()
    .map((name) => `${subfolder}/${name}`)
}

/**
 * Parse a JSON file with a list and report its problems with their lines. The YAML parser reads JSON and
 * knows the line of each value.
 */
function parseJsonFile<T>(schema: z.ZodType<T[]>, file: string, text: string, report: Report): T[] {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { schema: 'json', lineCounter, prettyErrors: false })
  const getLine = (offset = 0) => lineCounter.linePos(offset).line
  for (const { pos, message } of document.errors)
    report(file, getLine(pos[0]), `The file is not valid JSON: ${message}`)
  if (document.errors.length > 0) return []
  const { data, error } = schema.safeParse(document.toJS())
  for (const { path, message } of error?.issues ?? []) {
    const node = document.getIn(path.slice(0, 1), true) as { range?: [number, number, number] } | undefined
    report(file, getLine(node?.range?.[0]), `${path.slice(1).join('.') || 'The list'}: ${message}`)
  }
  return data ?? []
}

function reportRepeatedIds(entries: readonly { id: string; file: string }[], report: Report): void {
  const ids = new Set<string>()
  for (const { id, file } of entries) {
    if (ids.has(id)) report(file, 1, `The id ${id} is used twice`)
    ids.add(id)
  }
}
