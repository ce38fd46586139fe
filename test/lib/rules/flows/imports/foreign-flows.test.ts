import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Problem } from '#problem.ts'
import { createBudget, jobSteps } from '#rules/budget.ts'
import { readForeignFlow } from '#rules/flows/imports/read-foreign-flow.ts'
import { FlowEnvelope } from '#rules/flows/rfflow.ts'
import { type FlowNode, isStepList, type TreeStructure } from '#rules/flows/structure.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { walkAll } from '#rules/flows/walk.ts'
import { rundeckJob, typebotFlow, xsoarPlaybook } from './foreign-samples.ts'

const budget = () => createBudget({ steps: jobSteps })
const read = (content: unknown) =>
  readForeignFlow(typeof content === 'string' ? content : JSON.stringify(content), budget())
const listNodes = (structure: TreeStructure | null) =>
  structure ? Array.from(walkAll(structure), ({ node }) => node) : []
const findNode = (structure: TreeStructure | null, title: string) =>
  listNodes(structure).find((node) => node.title === title) as FlowNode
const listMessages = (content: unknown) => read(content).warnings.map(({ message }) => message)

const samples: [string, unknown, string][] = [
  ['Rundeck YAML', rundeckJob, 'rundeck'],
  ['Rundeck JSON', JSON.stringify(parse(rundeckJob)), 'rundeck'],
  ['XSOAR', xsoarPlaybook, 'xsoar'],
  ['Typebot', typebotFlow, 'typebot'],
]

describe('a flow of another tool', () => {
  it.each(samples)('FLO-71 is recognised by its content and can be published: %s', (_, content, tool) => {
    const { flow, tool: found } = read(content)
    expect(found).toBe(tool)
    expect(FlowEnvelope.shape.flow.safeParse(flow).error?.issues).toBeUndefined()
    expect(
      validateFlow({ ...flow, intake_form: flow.intake_form ?? [] }, 'published', budget()).errors,
    ).toEqual([])
  })

  it('FLO-71 reads the same from the YAML and the JSON form of a Rundeck job', () => {
    expect(read(JSON.stringify(parse(rundeckJob)))).toEqual(read(rundeckJob))
  })

  it('FLO-72 has steps, fallback steps and code of a Rundeck job, with placeholders for its options', () => {
    const { flow } = read(rundeckJob)
    const { tree_structure: structure } = flow
    const steps = structure && isStepList(structure) ? structure.steps : []
    expect(steps.map(({ title }) => title)).toEqual([
      'Restart __it__',
      'Run the script',
      'Run the script /opt/check.sh',
      'Run the job ops/notify',
      'jenkins-build',
      'Done',
    ])
    expect(steps[0]).toMatchObject({
      description: '```\nsystemctl restart {{service_name}}\n```\n\nThe job runs on the nodes `tags: web`.',
      fallback_steps: [{ title: 'Run journalctl -u nginx', description: '```\njournalctl -u nginx\n```' }],
    })
    expect(steps[1]?.description).toBe(
      '````bash\n#!/bin/bash\necho {{service_name}} # ```\n````\n\nArguments: `-t {{token}}`',
    )
    expect(flow.description).toBe('Restarts \\*one\\* server.\n\nAsk the customer first.')
  })

  it('FLO-72 has the options of a Rundeck job as intake fields, secrets without their default', () => {
    expect(read(rundeckJob).flow.intake_form).toEqual([
      {
        key: 'service_name',
        label: 'service-name',
        type: 'select',
        required: true,
        options: ['nginx', 'apache'],
        default: 'nginx',
        help_text: 'Which service',
      },
      { key: 'token', label: 'token', type: 'text', required: false, secret: true },
      {
        key: 'ports',
        label: 'ports',
        type: 'multiselect',
        required: false,
        options: ['80', '443'],
        default: ['80', '443'],
      },
      { key: 'reason', label: 'reason', type: 'text', required: false, pattern: '^[a-z]+$' },
    ])
  })

  it('FLO-72 has the conditions of an XSOAR playbook as decisions, whose labels are those of its branches', () => {
    const { flow } = read(xsoarPlaybook)
    const { tree_structure: structure } = flow
    expect(structure).toMatchObject({
      type: 'decision',
      title: 'Is there a verdict?',
      description: 'Checks the input.\n\n```\nyes: {{verdict}} isExists\n```',
      options: [
        { label: 'Yes', next_node_id: 'block-the-sender' },
        { label: 'Otherwise', next_node_id: 'get-the-verdict' },
      ],
    })
    expect(findNode(structure, 'Get the verdict').description).toBe(
      'Use {{mailid}}\n\nCommand: `CheckMail`\n\n```\nmail: {{mailid}}\n```',
    )
    expect(flow.description).toBe('Judges a mail.\n\n\\- \\*EWS\\* only')
    expect(flow.intake_form).toEqual([
      { key: 'mailid', label: 'MailID', type: 'text', required: true, help_text: 'The id of the mail' },
      { key: 'verdict', label: 'Verdict', type: 'text', required: false },
    ])
  })

  it('FLO-72 has the choices and conditions of a Typebot flow as decisions, and its inputs as intake fields', () => {
    const { tree_structure: structure, intake_form } = read(typebotFlow).flow
    expect(intake_form).toEqual([
      {
        key: 'printer_name',
        label: 'What is the *name* of the printer?',
        type: 'text',
        required: false,
        help_text: 'PRN-01',
      },
    ])
    expect(structure).toMatchObject({
      type: 'decision',
      title: 'Is {{printer_name}} on?',
      options: [
        { label: 'Yes', next_node_id: 'which-of-these-is-true' },
        { label: 'No', next_node_id: 'switch-it-on' },
      ],
    })
    expect(findNode(structure, 'Which of these is true?').options).toMatchObject([
      { label: 'Printer Name contains HP', next_node_id: 'reset' },
      { label: 'Otherwise', next_node_id: 'ask-the-vendor' },
    ])
    expect(findNode(structure, 'Reset').description).toContain('````js\nreset("{{printer_name}}")\n```\n````')
  })

  it('FLO-72 escapes texts, so that they show their characters', () => {
    const richText = [
      { type: 'p', children: [{ text: 'First' }] },
      { type: 'p', children: [{ text: '# 1 <b> C:\\_x' }] },
    ]
    const blocks = [{ id: 'b', type: 'text', content: { richText } }]
    const bot = {
      name: 'x',
      events: [{ type: 'start', outgoingEdgeId: 'e' }],
      groups: [{ id: 'g', title: 'G', blocks }],
    }
    const { tree_structure: structure } = read({ ...bot, edges: [{ id: 'e', to: { groupId: 'g' } }] }).flow
    expect(findNode(structure, 'First').description).toBe('\\# 1 \\<b> C:&#92;&#95;x')
  })
})

describe('the warnings of an import', () => {
  it('FLO-73 name what of a Rundeck job has no counterpart, at its step', () => {
    const { warnings } = read(rundeckJob)
    expect(warnings).toContainEqual({
      node_id: 'jenkins-build',
      path: 'tree_structure.steps[4]',
      message: 'The plugin “jenkins-build” has no counterpart; do its step by hand',
    })
    expect(listMessages(rundeckJob)).toEqual([
      'The default of “token” is a secret and was left out',
      'Left out: the schedule of the job',
      'The job “ops/notify” is another flow; import it and add it as a sub-flow',
      'The plugin “jenkins-build” has no counterpart; do its step by hand',
    ])
  })

  it('FLO-73 name ways back, unreached parts, commands and sub-playbooks of an XSOAR playbook', () => {
    expect(listMessages(xsoarPlaybook)).toEqual([
      'The default of the input “Verdict” is taken from an incident and was left out',
      'The playbook “Block the sender” is another flow; import it and add it as a sub-flow',
      'The command “CheckMail” is not run; do it by hand',
      'This branch goes back to “Is there a verdict?”, which a flow cannot',
      'Nothing leads to “Old part” from the start; left out',
    ])
  })

  it('FLO-73 name what Typebot does and this service does not', () => {
    expect(listMessages(typebotFlow)).toEqual([
      'The flow asks its questions on the way; here they are in the intake form, before the session starts',
      'The code of this node is not run',
      'The block “Webhook” has no counterpart; do it by hand',
      'This branch goes back to “Is {{printer_name}} on?”, which a flow cannot',
      'Nothing leads to “Draft part” from the start; left out',
    ])
  })

  it('FLO-73 name a part that several branches reach, which is copied for each', () => {
    const tasks = {
      1: { type: 'condition', task: { name: 'Which?' }, nexttasks: { yes: ['2'], no: ['3'] } },
      2: { type: 'regular', task: { name: 'A' }, nexttasks: { '#none#': ['4'] } },
      3: { type: 'regular', task: { name: 'B' }, nexttasks: { '#none#': ['4'] } },
      4: { type: 'title', task: { name: 'Done' } },
    }
    const { flow, warnings } = read({ name: 'x', starttaskid: '1', tasks })
    expect(listNodes(flow.tree_structure).map(({ id }) => id)).toEqual(['which', 'a', 'done', 'b', 'done-2'])
    expect(warnings).toEqual([
      {
        node_id: 'done-2',
        path: 'tree_structure.children[1].children[0]',
        message: 'Several branches lead to “Done”; each has a copy of it',
      },
    ])
  })
})

describe('the limits of an import', () => {
  const readBody = (content: string) => {
    try {
      read(content)
    } catch (error) {
      if (error instanceof Problem) return error.body
      throw error
    }
    return null
  }

  it.each([
    ['a text', 'hello', 'invalid_format'],
    ['JSON of no known tool', '{"a": 1}', 'invalid_format'],
    ['invalid YAML', 'a: [}', 'invalid_format'],
    ['two YAML documents', `${rundeckJob}---\n${rundeckJob}`, 'invalid_format'],
    ['deep JSON', '['.repeat(100_000), 'too_deep'],
    ['deep YAML', `a: ${'['.repeat(20_000)}`, 'invalid_format'],
    ['a NUL character', '[{"name":"\\u0000","sequence":{"commands":[]}}]', 'invalid_text'],
    ['large YAML', `a: ${'b '.repeat(200_000)}`, 'too_complex'],
    [
      'aliases of aliases',
      `- &a [x]\n${Array.from({ length: 20 }, (_, i) => `- &b${i} [${Array(9).fill(i ? `*b${i - 1}` : '*a')}]`).join('\n')}`,
      'invalid_format',
    ],
  ])('FLO-74 refuse %s', (_, content, type) => {
    expect(readBody(content)).toMatchObject({ errors: [{ loc: expect.arrayContaining(['body']), type }] })
  })

  it('FLO-74 hold for flows that grow: a long chain, a part with many ways to it, and copies of long texts', () => {
    const chain = Array.from({ length: 200 }, (_, i) => [
      `${i}`,
      { task: { name: `Step ${i}` }, nexttasks: { '#none#': [`${i + 1}`] } },
    ])
    const many = Array.from({ length: 60 }, (_, i) => [
      `${i}`,
      {
        type: 'condition',
        task: { name: `Q ${i}`, description: 'x'.repeat(19_000) },
        nexttasks: Object.fromEntries(
          Array.from({ length: 30 }, (_, k) => [`b${k}`, [`${(i + k + 1) % 60}`]]),
        ),
      },
    ])
    for (const tasks of [chain, many]) {
      const { flow, warnings } = read({ name: 'x', starttaskid: '0', tasks: Object.fromEntries(tasks) })
      expect(JSON.stringify(flow).length).toBeLessThan(8 * 1024 * 1024)
      expect(listNodes(flow.tree_structure).length).toBeLessThanOrEqual(500)
      expect(validateFlow({ ...flow, intake_form: [] }, 'published', budget()).errors).toEqual([])
      expect(warnings.map(({ message }) => message)).toContainEqual(
        expect.stringContaining('The flow is too large: '),
      )
    }
  })

  it('FLO-74 hold for values of other types than the tools write', () => {
    const values = [null, 5, [], [[1]], { a: { b: 1 } }, 'x', true, '__proto__']
    for (const value of values) {
      const job = {
        name: value,
        options: [value, { name: 'n', values: [value] }],
        sequence: { commands: [value, { jobref: value, description: value }] },
      }
      const tasks = {
        1: value,
        2: { type: value, task: value, nexttasks: value, conditions: [value], form: value },
        3: { nexttasks: { a: value } },
      }
      const group = {
        id: 'g',
        blocks: [
          value,
          { type: value, items: [value], content: value },
          { type: 'text', content: { richText: [value] } },
        ],
      }
      const bot = {
        groups: [value, group],
        edges: [value, { id: 'e', to: { groupId: 'g' } }],
        events: [{ type: 'start', outgoingEdgeId: 'e' }],
      }
      for (const content of [
        [job],
        bot,
        ...['1', '2', '3'].map((starttaskid) => ({ tasks, starttaskid, inputs: [value, { key: value }] })),
      ])
        expect(FlowEnvelope.shape.flow.safeParse(read(content).flow).success).toBe(true)
    }
  })
})
