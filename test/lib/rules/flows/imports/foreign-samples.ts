// Small files in the formats of the tools, with what is hard in each: a way back, branches that join, a
// default branch, unknown parts.

export const rundeckJob = String.raw`- name: Restart the web server
  group: ops
  description: |
    Restarts *one* server.
    Ask the customer first.
  schedule: {time: {hour: '1'}}
  nodefilters: {filter: 'tags: web'}
  options:
  - name: service-name
    required: true
    enforced: true
    values: [nginx, apache]
    value: nginx
    description: Which service
  - {name: token, secure: true, value: abc123}
  - {name: ports, enforced: true, multivalued: true, delimiter: ';', values: ['80', '443'], value: '80;443'}
  - {name: reason, regex: '^[a-z]+$'}
  sequence:
    keepgoing: false
    strategy: node-first
    commands:
    - exec: systemctl restart \${option.service-name}
      description: Restart __it__
      errorhandler: {exec: journalctl -u nginx}
    - script: |-
        #!/bin/bash
        echo @option.service-name@ # \`\`\`
      args: -t \${option.token}
    - scriptfile: /opt/check.sh
    - jobref: {group: ops, name: notify}
    - {nodeStep: false, type: jenkins-build, configuration: {job: deploy}}
`
  .replaceAll('\\$', '$')
  .replaceAll('\\`', '`')

export const xsoarPlaybook = String.raw`id: verdict
name: Mail verdict
description: |-
  Judges a mail.
  - *EWS* only
starttaskid: "0"
inputs:
- {key: MailID, value: {}, required: true, description: The id of the mail}
- {key: Verdict, value: {simple: '\${incident.verdict}'}, required: false, description: ''}
tasks:
  "0": {id: "0", type: start, task: {name: ""}, nexttasks: {'#none#': ["1"]}}
  "1":
    id: "1"
    type: condition
    task: {name: Is there a verdict?, description: Checks the input.}
    nexttasks: {'#default#': ["2"], "yes": ["3"]}
    conditions:
    - label: "yes"
      condition: [[{operator: isExists, left: {value: {simple: inputs.Verdict}, iscontext: true}}]]
  "2":
    id: "2"
    type: regular
    task: {name: Get the verdict, scriptName: CheckMail, description: "Use \${inputs.MailID}"}
    scriptarguments: {mail: {simple: '\${inputs.MailID}'}, empty: {}}
    nexttasks: {'#none#': ["1"]}
  "3":
    id: "3"
    type: playbook
    task: {name: Block the sender, playbookName: Block the sender}
    nexttasks: {'#none#': ["4"]}
  "4": {id: "4", type: title, task: {name: Done}}
  "5": {id: "5", type: title, task: {name: Old part}}
`.replaceAll('\\$', '$')

const text = (id: string, content: string, more = {}) => ({
  id,
  type: 'text',
  content: { richText: [{ type: 'p', children: [{ text: content }] }] },
  ...more,
})

export const typebotFlow = {
  version: '6.1',
  name: 'Printer help',
  events: [{ id: 'start', type: 'start', outgoingEdgeId: 'e0' }],
  variables: [{ id: 'v1', name: 'Printer Name' }],
  groups: [
    {
      id: 'g0',
      title: 'Start',
      blocks: [
        text('b0', 'What is the *name* of the printer?'),
        { id: 'b1', type: 'text input', options: { variableId: 'v1', labels: { placeholder: 'PRN-01' } } },
        text('b2', 'Is {{Printer Name}} on?'),
        {
          id: 'b3',
          type: 'choice input',
          outgoingEdgeId: 'e2',
          items: [
            { id: 'i1', content: 'Yes', outgoingEdgeId: 'e1' },
            { id: 'i2', content: 'No' },
          ],
        },
      ],
    },
    {
      id: 'g1',
      title: 'Check',
      blocks: [
        {
          id: 'b4',
          type: 'Condition',
          items: [
            {
              id: 'i3',
              outgoingEdgeId: 'e3',
              content: { comparisons: [{ variableId: 'v1', comparisonOperator: 'Contains', value: 'HP' }] },
            },
          ],
        },
        text('b5', 'Ask the vendor'),
      ],
    },
    {
      id: 'g2',
      title: 'On',
      blocks: [text('b6', 'Switch it on'), { id: 'b7', type: 'Jump', options: { groupId: 'g0' } }],
    },
    {
      id: 'g3',
      title: 'HP',
      blocks: [
        { id: 'b8', type: 'Code', options: { name: 'Reset', content: 'reset("{{Printer Name}}")\n```' } },
        {
          id: 'b9',
          type: 'Webhook',
          options: { webhook: { method: 'POST', url: 'https://hook.example/x' } },
        },
      ],
    },
    { id: 'g4', title: 'Draft part', blocks: [text('b10', 'Nobody comes here')] },
  ],
  edges: [
    { id: 'e0', from: { eventId: 'start' }, to: { groupId: 'g0' } },
    { id: 'e1', from: { blockId: 'b3', itemId: 'i1' }, to: { groupId: 'g1' } },
    { id: 'e2', from: { blockId: 'b3' }, to: { groupId: 'g2' } },
    { id: 'e3', from: { blockId: 'b4', itemId: 'i3' }, to: { groupId: 'g3' } },
  ],
}
