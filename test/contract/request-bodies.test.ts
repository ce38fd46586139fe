// @module-tag shape
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { OnboardingStep } from '#functions/accounts/onboarding/schemas.ts'
import { PlanFeatureUpdate } from '#functions/admin/plans/schemas.ts'
import { ScriptPatch } from '#functions/ai/fixes/schemas.ts'
import { OutcomePatch, TaskLane } from '#functions/ai/sessions/schemas.ts'
import { TaskLanePut } from '#functions/ai/triage/schemas.ts'
import { WeeklyReportQuery } from '#functions/analytics/reports/schemas.ts'
import { SuggestionRequest } from '#functions/authoring/assistant/schemas.ts'
import { DiagramGenerate } from '#functions/diagrams/drafts/schemas.ts'
import { PinOrder } from '#functions/flows/pins/schemas.ts'
import { TreeCreate, TreeUpdate } from '#functions/flows/trees/schemas.ts'
import { NotificationConfigCreate } from '#functions/notifications/notifications/schemas.ts'
import { MailPreferencesUpdate } from '#functions/notifications/preferences/schemas.ts'
import { PsaConnectionUpdate } from '#functions/psa/connection/schemas.ts'
import { RuleUpdate } from '#functions/psa/rules/schemas.ts'
import { BuilderCreate } from '#functions/scripts/builder/schemas.ts'
import { SupportingCreate } from '#functions/sessions/notes/schemas.ts'
import { Instant, Variables } from '#functions/sessions/sessions/schemas.ts'
import { CustomStepCreate, DecisionCreate } from '#functions/sessions/steps/schemas.ts'
import { WebhookCreate, WebhookReplay } from '#functions/webhooks/webhooks/schemas.ts'
import { patchProcedure, printerFlow } from '#test/support/flows.ts'

const id = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d10'

/** Return `path: message` of each mistake in a body. */
function findMistakes(schema: z.ZodType, body: unknown): string[] {
  const { error } = schema.safeParse(body)
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
}

const buildRecord = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]))
/** Build an object whose JSON has this many bytes. */
const buildJson = (bytes: number) => ({ é: 'x'.repeat(bytes - '{"é":""}'.length - 1) })
/** Build a task lane whose JSON has this many bytes, in its responses. */
function buildLane(bytes: number) {
  const lane = { questions: [], actions: [], responses: [] as { id: string; text: string }[] }
  const count = 20
  for (let n = 0; n < count; n++) lane.responses.push({ id: `r${n}`, text: '-' })
  const missing = bytes - JSON.stringify(lane).length
  for (const [n, response] of lane.responses.entries())
    response.text += '-'.repeat(Math.floor(missing / count) + (n < missing % count ? 1 : 0))
  return lane
}

it.each<[string, z.ZodType, (size: number) => unknown, number, string]>([
  [
    'the data of an onboarding step',
    OnboardingStep,
    (size) => ({ step: 1, action: 'complete', data: buildJson(size) }),
    16 * 1024,
    'data: must be at most 16 KB',
  ],
  ['variables', Variables, (size) => buildJson(size), 64 * 1024, ': must have at most 64 KB'],
  [
    'variables by number',
    Variables,
    (size) => buildRecord(size, 1),
    200,
    ': must have at most 200 variables',
  ],
  [
    'the evidence of a step',
    DecisionCreate,
    (size) => ({ step_id: 's', outcome: 'done', evidence: buildRecord(size, 1) }),
    10,
    'evidence: must have at most 10 keys',
  ],
  [
    'the variables of a rule',
    RuleUpdate,
    (size) => ({ variables: buildRecord(size, 'contact') }),
    50,
    'variables: must have at most 50 variables',
  ],
  ['a task lane', TaskLane, buildLane, 256 * 1024, ': must be at most 256 KB in all'],
  [
    'a task lane without its version',
    TaskLanePut,
    (size) => ({ ...buildLane(size), expected_version: 7 }),
    256 * 1024,
    ': must be at most 256 KB in all',
  ],
])('%s may have its largest size, and no larger one', (_, schema, build, largest, message) => {
  expect(findMistakes(schema, build(largest))).toEqual([])
  expect(findMistakes(schema, build(largest + 1))).toEqual([message])
})

it.each([
  ['1999-12-31T23:59:59.999Z', false],
  ['2000-01-01T00:00:00Z', true],
  ['2099-12-31T23:59:59Z', true],
  ['2100-01-01T00:00:00Z', false],
])('the time %s of a step is valid: %s', (time, isValid) => {
  expect(findMistakes(Instant, time)).toEqual(isValid ? [] : [': must be between the years 2000 and 2100'])
})

const partialNotes = 'notes: is required for a partial outcome'
const pendingReason = 'reason: is required for a pending outcome'
const noAnswer = 'must be absent without an option_id or an outcome'
const pairOfPlan = ': must have both `plan` and `enabled`, or neither'
const replayTarget = ': must have either delivery_id or failed_since'
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const fallback = { fallback_step_id: 'f', outcome: 'done' }

describe.each<[string, z.ZodType, [object, string[]][]]>([
  [
    'the outcome of a fix',
    OutcomePatch,
    [
      [{ outcome: 'applied_partial' }, [partialNotes]],
      [{ outcome: 'applied_partial', reason: 'r' }, [partialNotes]],
      [{ outcome: 'applied_partial', notes: 'n' }, []],
      [{ outcome: 'applied_pending' }, [pendingReason]],
      [{ outcome: 'applied_pending', notes: 'n' }, [pendingReason]],
      [{ outcome: 'applied_pending', reason: 'r' }, []],
      [{ outcome: 'applied_success' }, []],
    ],
  ],
  [
    'the script of a fix',
    ScriptPatch,
    [
      [{ script: ' \n' }, ['script: must not be empty']],
      [{ script: 'x' }, []],
    ],
  ],
  [
    'a feature of a plan',
    PlanFeatureUpdate,
    [
      [{}, []],
      [{ plan: 'pro' }, [pairOfPlan]],
      [{ enabled: false }, [pairOfPlan]],
      [{ plan: 'pro', enabled: false }, []],
    ],
  ],
  [
    'the replay of a webhook',
    WebhookReplay,
    [
      [{}, [replayTarget]],
      [{ delivery_id: id, failed_since: '2026-01-01T00:00:00Z' }, [replayTarget]],
      [{ delivery_id: id }, []],
      [{ failed_since: '2026-01-01T00:00:00Z' }, []],
    ],
  ],
  [
    'a webhook',
    WebhookCreate,
    [
      [
        { url: 'https://a.example', events: ['session.completed', 'session.completed'] },
        ['events.1: must not repeat item 1 of the list, also in another spelling'],
      ],
      [{ url: 'https://a.example', events: ['session.completed'] }, []],
    ],
  ],
  [
    'the drawing of a diagram',
    DiagramGenerate,
    [
      [{ description: 'd', mode: 'merge' }, ['diagram_id: is required for mode merge']],
      [{ description: 'd', mode: 'merge', diagram_id: id }, []],
      [{ description: 'd', mode: 'replace' }, []],
    ],
  ],
  [
    'a session of the script builder',
    BuilderCreate,
    [
      [{ origin: 'pilot_inline' }, ['ai_session_id: is required for origin pilot_inline']],
      [{ origin: 'pilot_inline', ai_session_id: id }, []],
      [{ origin: 'standalone', ai_session_id: id }, ['ai_session_id: must be absent for origin standalone']],
      [{ origin: 'standalone' }, []],
    ],
  ],
  [
    'supporting data',
    SupportingCreate,
    [
      [{ kind: 'text', title: 't' }, ['content: is required for a text']],
      [{ kind: 'text', title: 't', content: 'c' }, []],
      [{ kind: 'text', title: 't', content: 'c', upload_id: id }, ['upload_id: must be absent for a text']],
      [{ kind: 'screenshot', title: 't', content: 'c', upload_id: id }, []],
      [{ kind: 'screenshot', title: 't' }, []],
    ],
  ],
  [
    'a notification config',
    NotificationConfigCreate,
    [
      [{ channel: 'email' }, ['email_addresses: is required for channel email']],
      [{ channel: 'email', email_addresses: ['a@b.example'] }, []],
      [
        { channel: 'email', webhook_url: 'https://a.example' },
        ['email_addresses: is required for channel email'],
      ],
      [
        {
          channel: 'email',
          email_addresses: ['a@b.example'],
          events_enabled: ['handoff.claimed', 'handoff.claimed'],
        },
        ['events_enabled.1: must not repeat item 1 of the list, also in another spelling'],
      ],
    ],
  ],
  [
    'the preferences for e-mails',
    MailPreferencesUpdate,
    [
      [{ quiet_hours: { days, from: '22:00', to: '22:00' } }, ['quiet_hours: must leave a time for e-mails']],
      [{ quiet_hours: { days, from: '22:00', to: '21:59' } }, []],
      [{ quiet_hours: { days: days.slice(1), from: '22:00', to: '22:00' } }, []],
      [
        { quiet_hours: { days: ['monday', 'monday'], from: '22:00', to: '06:00' } },
        ['quiet_hours.days.1: must not repeat item 1 of the list, also in another spelling'],
      ],
      [
        { email_events: ['handoff.claimed', 'handoff.claimed'] },
        ['email_events.1: must not repeat item 1 of the list, also in another spelling'],
      ],
    ],
  ],
  [
    'the order of pinned flows',
    PinOrder,
    [
      [{ tree_ids: [id, id] }, ['tree_ids.1: must not repeat item 1 of the list, also in another spelling']],
      [{ tree_ids: [id] }, []],
    ],
  ],
  [
    'the week of a report',
    WeeklyReportQuery,
    [
      [{ team_id: id, week: '2026-W54' }, ['week: must be a week of ISO 8601, such as 2026-W47']],
      [{ team_id: id, week: '2026-W53' }, []],
      [{ team_id: id }, []],
    ],
  ],
  [
    'the address of a ticketing system',
    PsaConnectionUpdate,
    [
      [{ base_url: 'https://a.example/psa' }, []],
      [{ base_url: 'https://a.example/?a' }, ['base_url: must have no query and no fragment']],
      [{ base_url: 'https://a.example/#a' }, ['base_url: must have no query and no fragment']],
    ],
  ],
  [
    'an answer to a step',
    DecisionCreate,
    [
      [{ step_id: 's' }, ['outcome: is required unless option_id or fallback is set']],
      [{ step_id: 's', note: 'n' }, ['outcome: is required unless option_id or fallback is set']],
      [{ step_id: 's', option_id: 'o', outcome: 'done' }, ['outcome: must be absent when option_id is set']],
      [{ step_id: 's', option_id: 'o', note: 'n', fallback }, []],
      [{ step_id: 's', outcome: 'done', note: 'n' }, []],
      [{ step_id: 's', fallback }, []],
      [
        {
          step_id: 's',
          fallback,
          note: 'n',
          duration_seconds: 0,
          evidence: {},
          started_at: '2026-01-01T00:00:00Z',
        },
        ['note', 'started_at', 'duration_seconds', 'evidence'].map((field) => `${field}: ${noAnswer}`),
      ],
    ],
  ],
  [
    'a custom step',
    CustomStepCreate,
    [
      [{ source: 'ad-hoc' }, ['title: is required for source ad-hoc']],
      [{ source: 'ad-hoc', title: 't' }, []],
      [
        { source: 'ad-hoc', title: 't', library_step_id: id, tree_id: id, node_id: 'n' },
        ['library_step_id', 'tree_id', 'node_id'].map(
          (field) => `${field}: must be absent for source ad-hoc`,
        ),
      ],
      [{ source: 'step-library' }, ['library_step_id: is required for source step-library']],
      [{ source: 'step-library', library_step_id: id }, []],
      [
        { source: 'step-library', library_step_id: id, tree_id: id },
        ['tree_id: must be absent for source step-library'],
      ],
      [
        { source: 'forked-tree' },
        ['tree_id', 'node_id'].map((field) => `${field}: is required for source forked-tree`),
      ],
      [{ source: 'forked-tree', tree_id: id, node_id: 'n' }, []],
    ],
  ],
  [
    'a request for a suggestion',
    SuggestionRequest,
    [
      [{ tree_type: 'troubleshooting', tree_structure: printerFlow(), instruction: 'i' }, []],
      [
        { tree_type: 'procedural', tree_structure: printerFlow(), instruction: 'i' },
        ['tree_structure: must be a list of steps in a procedural flow'],
      ],
    ],
  ],
  ...[TreeCreate, TreeUpdate].map((schema): [string, z.ZodType, [object, string[]][]] => {
    const flow = { tree_type: 'troubleshooting', name: 'n' }
    return [
      schema === TreeCreate ? 'a new flow' : 'a changed flow',
      schema,
      [
        [flow, []],
        [{ ...flow, visibility: 'public', is_public: true }, []],
        [{ ...flow, visibility: 'team', is_public: false }, []],
        [
          { ...flow, visibility: 'public', is_public: false },
          ['is_public: must agree with visibility public'],
        ],
        [{ ...flow, visibility: 'team', is_public: true }, ['is_public: must agree with visibility team']],
        [{ ...flow, is_public: true }, []],
        [{ ...flow, visibility: 'team' }, []],
        [{ ...flow, category: 'c', category_id: id }, ['category_id: must be absent when category is set']],
        [
          { ...flow, category: null, category_id: null },
          ['category_id: must be absent when category is set'],
        ],
        [{ ...flow, category: 'c' }, []],
        [{ ...flow, category_id: id }, []],
        [{ ...flow, tree_structure: printerFlow() }, []],
        [{ ...flow, tree_structure: null }, []],
        [
          { ...flow, tree_structure: patchProcedure() },
          ['tree_structure: must be a root node in a troubleshooting flow'],
        ],
        [
          { ...flow, tree_type: 'maintenance', tree_structure: printerFlow() },
          ['tree_structure: must be a list of steps in a maintenance flow'],
        ],
      ],
    ]
  }),
])('%s', (_, schema, cases) => {
  it.each(cases)('%j has the expected mistakes', (body, mistakes) =>
    expect(findMistakes(schema, body)).toEqual(mistakes),
  )
})

it.each([
  ['https://a.example/psa///', 'https://a.example/psa'],
  ['https://a.example', 'https://a.example'],
])('the address %s of a ticketing system becomes %s', (base_url, expected) => {
  expect(PsaConnectionUpdate.parse({ base_url })).toEqual({ base_url: expected })
})
