import type { FallbackStep, FlowStep } from '#rules/flows/structure.ts'
import { flowLimits } from '#rules/flows/structure.ts'
import { type Markdown, toMarkdown } from '#rules/markup/markdown.ts'
import { createSlug } from '#rules/text/slug.ts'
import { type Fields, getField, getList, getText, isFields, isTrue, toText } from './document.ts'
import {
  createImportedFlow,
  createReportList,
  type ImportedFlow,
  type Report,
  shortenText,
  shortenTitle,
} from './imported-flow.ts'
import { createFieldList, type FieldList } from './intake-fields.ts'
import { joinBlocks, writeCode, writeCodeSpan, writePlain } from './markdown-text.ts'

// A Rundeck job becomes a procedural flow. The YAML and the JSON form have the same fields:
// https://docs.rundeck.com/docs/manual/document-format-reference/job-yaml-v12.html

/** Fields of a job that decide when, where or by what it runs, and what the warning calls them. */
const leftOut: Readonly<Record<string, string>> = {
  schedule: 'schedule',
  schedules: 'schedule',
  notification: 'notifications',
  orchestrator: 'orchestrator',
  plugins: 'plugins',
  retry: 'retries',
  timeout: 'timeout',
}

/** Return the jobs of a file, or null if it is no Rundeck file. */
export function findRundeckJobs(value: unknown): readonly Fields[] | null {
  const jobs = Array.isArray(value) ? value : [value]
  const isJob = (job: unknown): job is Fields =>
    isFields(job) && Array.isArray(getField(getField(job, 'sequence'), 'commands'))
  return jobs.length > 0 && jobs.every(isJob) ? jobs : null
}

export function readRundeckJob(jobs: readonly Fields[]): ImportedFlow {
  const [job = {}] = jobs
  const reports = createReportList()
  const { report } = reports
  if (jobs.length > 1) report(`The file has ${jobs.length} jobs; only the first one was imported`)
  const fields = createFieldList(report)
  addOptions(job, fields, report)
  for (const [name, label] of Object.entries(leftOut))
    if (getField(job, name)) report(`Left out: the ${label} of the job`)
  const steps = readSteps(job, fields, report)
  const [summary = '', ...details] = getText(job, 'description').split('\n')
  const description = joinBlocks([writePlain(summary), toMarkdown(details.join('\n').trim())])
  return createImportedFlow({
    tool: 'rundeck',
    type: 'procedural',
    name: getText(job, 'name'),
    description,
    structure: { steps },
    fields: fields.fields,
    reports,
  })
}

/** Options are a list, or in old files a map by name. */
function addOptions(job: Fields, fields: FieldList, report: Report): void {
  const value = getField(job, 'options')
  const options = isFields(value)
    ? Object.entries(value).map(([name, option]) => ({ ...(isFields(option) ? option : {}), name }))
    : getList(job, 'options')
  for (const option of options) {
    const name = getText(option, 'name')
    if (name === '') continue
    const values = getList(option, 'values').map(toText)
    const isMultiple = isTrue(option, 'multivalued')
    const isChoice = values.length > 0 && isTrue(option, 'enforced')
    if (getField(option, 'valuesUrl'))
      report(`The choices of “${shortenTitle(name, 60)}” come from an address and were left out`)
    if (getText(option, 'type') === 'file') report(`The file “${shortenTitle(name, 60)}” became a text`)
    const answer = getText(option, 'value')
    const isList = isMultiple && isChoice
    fields.add({
      name,
      label: getText(option, 'label') || name,
      type: isList ? 'multiselect' : isChoice ? 'select' : 'text',
      help: getText(option, 'description'),
      required: isTrue(option, 'required'),
      options: isChoice ? values : [],
      default: isList && answer ? answer.split(getText(option, 'delimiter') || ',') : answer,
      pattern: isChoice ? '' : getText(option, 'regex'),
      secret: isTrue(option, 'secure'),
    })
  }
}

function readSteps(job: Fields, fields: FieldList, report: Report): FlowStep[] {
  const commands = getList(getField(job, 'sequence'), 'commands')
  const maxSteps = flowLimits.maxSteps - 1
  if (commands.length > maxSteps)
    report(`The job has ${commands.length} steps; only the first ${maxSteps} were imported`)
  const filter = getText(getField(job, 'nodefilters'), 'filter')
  const usedIds = new Set(['end'])
  const createId = (title: string): string => {
    const base = createSlug(title).slice(0, 60)
    let id = base
    for (let number = 2; usedIds.has(id); number++) id = `${base}-${number}`
    usedIds.add(id)
    return id
  }
  const steps = commands.slice(0, maxSteps).map((command, index): FlowStep => {
    const { title, description, losses } = readCommand(command, fields)
    const id = createId(title)
    for (const loss of losses) report(loss, id)
    const nodes =
      index === 0 && filter
        ? toMarkdown(`The job runs on the nodes ${writeCodeSpan(filter)}.`)
        : toMarkdown('')
    const handler = getField(command, 'errorhandler')
    return {
      id,
      type: 'procedure_step',
      title,
      description: shortenText(joinBlocks([description, nodes])),
      ...(isFields(handler) ? { fallback_steps: [readHandler(handler, fields, createId, report)] } : {}),
    }
  })
  return [...steps, { id: 'end', type: 'procedure_end', title: 'Done', description: '' }]
}

function readHandler(
  handler: Fields,
  fields: FieldList,
  createId: (title: string) => string,
  report: Report,
): FallbackStep {
  const { title, description, losses } = readCommand(handler, fields)
  const id = createId(title)
  for (const loss of losses) report(loss, id)
  return { id, title, description: shortenText(description) }
}

interface Command {
  title: string
  description: Markdown
  losses: readonly string[]
}

function readCommand(command: unknown, fields: FieldList): Command {
  const fill = (text: string) => fillOptions(text, fields)
  const args = getText(command, 'args')
  const argsLine = args ? toMarkdown(`Arguments: ${writeCodeSpan(fill(args))}`) : toMarkdown('')
  const interpreter = getText(command, 'scriptInterpreter')
  const create = (title: string, blocks: readonly Markdown[], losses: readonly string[] = []): Command => ({
    title: shortenTitle(fill(getText(command, 'description') || title)) || 'Step without a title',
    description: joinBlocks(blocks),
    losses,
  })
  const [exec, script, file, url] = ['exec', 'script', 'scriptfile', 'scripturl'].map((name) =>
    getText(command, name),
  ) as [string, string, string, string]
  if (exec) return create(`Run ${exec}`, [writeCode(fill(exec))])
  if (script) {
    const language = /(bash|sh|python|powershell|perl|ruby)\d*\b/.exec(
      interpreter || (script.startsWith('#!') ? (script.split('\n')[0] ?? '') : ''),
    )?.[1]
    return create('Run the script', [writeCode(fill(script), language ?? ''), argsLine])
  }
  if (file || url)
    return create(`Run the script ${file || url}`, [
      toMarkdown(`Script: ${writeCodeSpan(fill(file || url))}`),
      argsLine,
    ])
  const reference = getField(command, 'jobref')
  if (isFields(reference)) {
    const name = [getText(reference, 'group'), getText(reference, 'name') || getText(reference, 'uuid')]
      .filter(Boolean)
      .join('/')
    const given = getText(reference, 'args')
    const line = given ? toMarkdown(`Arguments: ${writeCodeSpan(fill(given))}`) : toMarkdown('')
    return create(
      `Run the job ${name}`,
      [line],
      [`The job “${shortenTitle(name, 100)}” is another flow; import it and add it as a sub-flow`],
    )
  }
  const type = getText(command, 'type')
  const settings = Object.entries(
    isFields(getField(command, 'configuration')) ? (getField(command, 'configuration') as Fields) : {},
  )
  const lines = settings
    .map(([name, value]) => `${name}: ${toText(value) || JSON.stringify(value)}`)
    .join('\n')
  const losses = [
    `The plugin “${shortenTitle(type, 100) || 'unknown'}” has no counterpart; do its step by hand`,
  ]
  return create(type || 'Step of an unknown kind', [lines ? writeCode(fill(lines)) : toMarkdown('')], losses)
}

/** Replace the references to options, `${option.name}` and in scripts `@option.name@`, by placeholders. */
function fillOptions(text: string, { getKey }: FieldList): string {
  return text.replace(
    /\$\{option\.([\w.-]{1,100})\}|@option\.([\w.-]{1,100})@/g,
    (_, inText?: string, inScript?: string) => {
      return `{{${getKey(inText ?? inScript ?? '')}}}`
    },
  )
}
