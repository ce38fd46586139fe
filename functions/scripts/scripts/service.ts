import { nameOrder, type PageQuery, toPage } from '#db/page.ts'
import { retryOnConflict } from '#db/retry.ts'
import { throwNameTaken, throwUnknownId } from '#db/sqlstate.ts'
import * as approvals from '#functions/sessions/approvals/service.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import { requireGranted } from '#http/granted-scopes.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, invalidRequest, Problem, requireVersion, throwNotFound, unknownId } from '#problem.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { describeScript, type ScriptMachine } from '#rules/scripts/approval-subject.ts'
import { useLineEndsOf } from '#rules/scripts/line-ends.ts'
import {
  findPlacementProblems,
  type RenderedScript,
  renderScript,
  type Template,
  validateTemplate,
  validateValues,
} from '#rules/scripts/render.ts'
import {
  assessRendered,
  assessScript,
  raiseRisk,
  type ScriptAssessment,
} from '#rules/scripts/risk/assess-script.ts'
import { type ScriptRisk, scriptRisks } from '#rules/scripts/schema.ts'
import { createSlug } from '#rules/text/words.ts'
import { sha256Base64url } from '#vendors/auth/hash.ts'
import * as queries from './queries.ts'
import type { RenderRequest, ScriptCreate, ScriptQuery, ScriptTemplate, ScriptUpdate } from './schemas.ts'

export async function list({ db }: ReadContext, query: ScriptQuery & PageQuery) {
  return toPage(await queries.selectScripts(db, query), query, nameOrder())
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<ScriptTemplate> {
  return toScriptTemplate(await find(db, id))
}

export async function create(
  { db }: Pick<WriteContext, 'db'>,
  script: ScriptCreate,
): Promise<ScriptTemplate> {
  const script_body = useLineEndsOf(script.language, script.script_body)
  const template = { ...script, script_body, parameters_schema: script.parameters_schema ?? [] }
  requireSafePlaceholders(template, 'script_body')
  const { risk_reasons, ...raised } = assess(template)
  const inserted = await queries
    .insertScript(db, raised, createUniqueSlug(script.name))
    .catch(throwUnknownId('category_id', 'category', 'category'))
  return { ...toPublic(inserted), risk_reasons }
}

/** Return a template with the risk and the rights that its content has at least. */
export function assess<
  T extends Template & { risk?: ScriptRisk | undefined; requires_elevation?: boolean | undefined },
>(template: T) {
  const { risk = 'low', requires_elevation = false } = template
  return raiseRisk({ ...template, risk, requires_elevation }, assessScript(template))
}

/** Save the changed fields as a new version. `restoredFrom` is the version that they come from, if any. */
export async function update(
  { db }: WriteContext,
  id: string,
  { expected_version, ...changes }: ScriptUpdate,
  restoredFrom: number | null = null,
): Promise<ScriptTemplate> {
  return retryOnConflict('script', async () => {
    const currentScript = await requireEditable(db, id)
    requireVersion('script', currentScript, expected_version)
    requireAdminToLowerRisk(currentScript, changes.risk)
    if (Object.keys(changes).length === 0) return toScriptTemplate(currentScript)
    const { language = currentScript.language, parameters_schema = currentScript.parameters_schema } = changes
    const {
      risk: requestedRisk = currentScript.risk,
      requires_elevation: isElevated = currentScript.requires_elevation,
    } = changes
    const script_body = useLineEndsOf(language, changes.script_body ?? currentScript.script_body)
    const template = {
      language,
      script_body,
      parameters_schema,
      risk: requestedRisk,
      requires_elevation: isElevated,
    }
    requireSafePlaceholders(template, 'script_body')
    const { risk, requires_elevation, risk_reasons } = assess(template)
    const updatedScript = await queries
      .updateScript(db, id, currentScript.version, {
        ...changes,
        script_body,
        risk,
        requires_elevation,
        restored_from: restoredFrom,
      })
      .catch(throwUnknownId('category_id', 'category', 'category'))
    return updatedScript && { ...toPublic(updatedScript), risk_reasons }
  })
}

export async function share({ db }: WriteContext, id: string, isShared: boolean): Promise<ScriptTemplate> {
  return toScriptTemplate((await queries.shareScript(db, id, isShared)) ?? (await requireEditable(db, id)))
}

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteScript(db, id))) await requireEditable(db, id)
}

export async function generate(ctx: WriteContext, id: string, input: RenderRequest) {
  const { template, script, warnings, requires_elevation, approval } = await prepareRun(ctx, id, input)
  if (approval) await approvals.requireApproved(ctx, approval.session, approval.subject)
  await queries.countUse.run(ctx.db, id)
  const { language, slug } = template
  const extension = { powershell: 'ps1', bash: 'sh', python: 'py' }[language]
  const elevationWarnings = requires_elevation ? ['The script needs administrator rights'] : []
  return {
    script,
    language,
    requires_elevation,
    warnings: [...elevationWarnings, ...warnings],
    filename: `${slug.replace(/-[a-z0-9]{6}$/, '')}.${extension}`,
  }
}

/**
 * A script that was rendered. `approval` says what must be approved before the caller gets it; null for a
 * script of low risk.
 */
interface ScriptRun extends RenderedScript {
  template: queries.ScriptRow
  requires_elevation: boolean
  approval: { session: SessionRow; subject: approvals.ApprovalSubject } | null
}

/**
 * Render a template with values and with the answers of a session: for `machine`, or for a reader if that is
 * null. A script of medium or high risk needs a session in progress. The risk is that of the rendered script
 * too: of its values, and of rows that were stored before their content was assessed.
 */
export async function prepareRun(
  ctx: WriteContext,
  id: string,
  { parameters, session_id }: RenderRequest,
  machine: ScriptMachine | null = null,
): Promise<ScriptRun> {
  const template = await find(ctx.db, id)
  if (session_id) await requireGranted(ctx, ['sessions:read'])
  const answers = session_id ? await readSessionAnswers(ctx, session_id, template) : {}
  const values = { ...answers, ...parameters }
  const { assessment, ...rendered } = renderAssessed(template, values)
  const { risk, requires_elevation } = assessment
  if (risk === 'low') return { ...rendered, requires_elevation, approval: null }
  if (!session_id)
    throw invalidField(['body', 'session_id'], `is required for a script of ${risk} risk`, 'missing')
  const session = await sessions.requireInProgress(ctx.db, session_id)
  const subject = await describeRun({ ...rendered, assessment }, values, machine, session.secret_keys)
  return { ...rendered, requires_elevation, approval: subject && { session, subject } }
}

/**
 * Return what must be approved before a script runs on `machine`, or is read if that is null; null for a script
 * of low risk. `secretKeys` are the parameters whose values approvers do not read.
 */
export async function describeRun(
  { template, script, assessment: { risk, risk_reasons } }: AssessedRun,
  values: Readonly<Record<string, unknown>>,
  machine: ScriptMachine | null,
  secretKeys: readonly string[] = [],
): Promise<approvals.ApprovalSubject | null> {
  if (risk === 'low') return null
  const { digested, ...subject } = describeScript(
    { ...template, risk, riskReasons: risk_reasons },
    { values, script, secretKeys, machine },
  )
  return { ...subject, digest: await sha256Base64url(digested) }
}

/** A script that was rendered, with the risk of its template and its text. */
export interface AssessedRun extends RenderedScript {
  template: queries.ScriptRow
  assessment: ScriptAssessment
}

/** Render a template with values alone. */
export async function assessRun(
  { db }: Pick<WriteContext, 'db'>,
  id: string,
  values: Record<string, unknown>,
) {
  return renderAssessed(await find(db, id), values)
}

function renderAssessed(template: queries.ScriptRow, values: Record<string, unknown>): AssessedRun {
  const renderedScript = render(template, values)
  return {
    ...renderedScript,
    template,
    assessment: raiseRisk(template, assessRendered(template.language, renderedScript.script)),
  }
}

/**
 * Return the answers of a session to the parameters of the same name. Throw 422 for an unknown session, and
 * 403 for one of a colleague.
 */
async function readSessionAnswers(
  ctx: WriteContext,
  sessionId: string,
  { parameters_schema }: Pick<Template, 'parameters_schema'>,
) {
  const answers = await sessions.readAnswers(ctx, sessionId).catch((error: unknown) => {
    throw error instanceof Problem && error.kind === 'not_found' ? unknownId('session_id', 'session') : error
  })
  return Object.fromEntries(
    parameters_schema.flatMap(({ name }) => (Object.hasOwn(answers, name) ? [[name, answers[name]]] : [])),
  )
}

export async function listCategories({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectCategories(db, page), page, nameOrder())
}

export async function createCategory({ db }: WriteContext, name: string) {
  return queries.insertCategory(db, name).catch(throwNameTaken('A category'))
}

/**
 * Fill a template with values. Throw 422 for every value that is invalid, missing, unsafe in the template or
 * not a parameter.
 */
export function render(template: Template, parameters: Record<string, unknown>): RenderedScript {
  const invalidValues = validateValues(template.parameters_schema, parameters)
  const problems = [...(invalidValues.size > 0 ? invalidValues : findPlacementProblems(template, parameters))]
  if (problems.length > 0)
    throw invalidRequest(
      problems.map(([name, msg]) => ({ loc: ['body', 'parameters', name], msg, type: 'parameter' })),
    )
  return renderScript(template, parameters)
}

/**
 * Throw 422 with one error per placeholder that has no parameter or stands where no value is safe. Each error
 * has the line number.
 */
export function requireSafePlaceholders(template: Template, field: string): void {
  const problems = validateTemplate(template)
  if (problems.length === 0) return
  throw invalidRequest(
    problems.map(({ line, message }) => ({
      loc: ['body', field],
      msg: `Line ${line}: ${message}`,
      type: 'placeholder',
    })),
  )
}

/** Return the slug of the name with a random suffix, which makes the slug unique. */
export function createUniqueSlug(name: string): string {
  const suffix = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) =>
    (byte % 36).toString(36),
  ).join('')
  return `${createSlug(name, 'script')}-${suffix}`
}

export async function find(db: ReadContext['db'], id: string) {
  return (await queries.selectScript(db, id)) ?? throwNotFound('Script template')
}

async function requireEditable(db: ReadContext['db'], id: string) {
  const script = await find(db, id)
  if (!script.may_change)
    throw new Problem(
      'forbidden',
      'Only its creator, an admin of its team or an account admin may change this script',
    )
  return script
}

/**
 * Throw 403 if the caller lowers the risk and is no admin. Otherwise every editor of a script could avoid its
 * approvals.
 */
function requireAdminToLowerRisk({ risk, is_admin }: queries.ScriptRow, newRisk: ScriptRisk = risk): void {
  if (scriptRisks.indexOf(newRisk) < scriptRisks.indexOf(risk) && !is_admin)
    throw new Problem(
      'forbidden',
      'Only an admin of its team or an account admin may lower the risk of a script',
    )
}

/** Return a template with the risk of its content, whatever was stored. */
function toScriptTemplate(row: queries.ScriptRow): ScriptTemplate {
  return assessStored(toPublic(row))
}

/**
 * Assess a template that is stored already. One that takes too much work is not refused, but has a high risk.
 */
function assessStored<T extends Template & { risk: ScriptRisk; requires_elevation: boolean }>(template: T) {
  try {
    return assess(template)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const reason = 'takes too much work to be assessed'
    return { ...template, risk: 'high' as const, risk_reasons: [{ line: 1, risk: 'high' as const, reason }] }
  }
}

function toPublic({
  may_change: _,
  is_admin: __,
  ...script
}: queries.ScriptRow): Omit<ScriptTemplate, 'risk_reasons'> {
  return script
}
