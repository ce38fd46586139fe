import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const drawing = {
  nodes: [
    {
      id: 'fw1',
      type: 'security',
      position: { x: 240.5, y: -40 },
      nodeType: 'Firewall',
      style: { opacity: 0.5, nested: { a: [1] } },
      data: { label: 'FW' },
    },
    { id: 'sw1', type: 'custom', position: { x: 0, y: 200 }, data: {} },
  ],
  edges: [
    {
      id: 'e1',
      source: 'fw1',
      target: 'sw1',
      label: '10 Gbit/s',
      routing: 'step',
      style: { stroke: '#123456' },
    },
    { id: 'e2', source: 'sw1', target: 'fw1' },
  ],
}

describe('a network diagram', () => {
  it('DIA-04 DIA-05 stores its nodes and edges unchanged, and rejects an unknown routing', async () => {
    const { admin, teamId } = await createAccount(service)
    const { status, body } = await admin.call('POST', '/network-diagrams', {
      name: 'Head office',
      client_name: 'Fabrikam',
      ...drawing,
    })
    expect([status, body.team_id, body.client_name, body.asset_name, body.is_archived]).toEqual([
      201,
      teamId,
      'Fabrikam',
      null,
      false,
    ])
    expect([body.nodes, body.edges]).toEqual([drawing.nodes, drawing.edges])
    expect((await admin.call('GET', `/network-diagrams/${body.id}`)).body).toEqual(body)
    for (const routing of ['straight', 'curved', 'step', 'zigzag']) {
      const edges = [{ ...drawing.edges[0], routing }]
      expectStatus(
        await admin.call('PUT', `/network-diagrams/${body.id}`, { edges }),
        routing === 'zigzag' ? 422 : 200,
      )
    }
  })

  it('DIA-01 cannot be created by a user without a team', async () => {
    const account = await createAccount(service)
    const teamless = await account.addColleague({ teamId: null })
    const { status, body } = await teamless.call('POST', '/network-diagrams', { name: 'X' })
    expect([status, body.errors[0].type]).toEqual([422, 'no_team'])
  })

  it('DIA-13 is rejected when an edge leads to a missing node or an id occurs twice, also in a partial update', async () => {
    const { admin } = await createAccount(service)
    const edges = [{ id: 'e1', source: 'fw1', target: 'gone' }]
    const { status, body } = await admin.call('POST', '/network-diagrams', {
      name: 'X',
      nodes: [drawing.nodes[0], drawing.nodes[0]],
      edges,
    })
    expect([status, body.errors]).toEqual([
      422,
      [
        { loc: ['body', 'nodes', 1, 'id'], msg: 'must be unique; fw1 is used twice', type: 'custom' },
        {
          loc: ['body', 'edges', 0, 'target'],
          msg: 'must be the id of a node in this diagram',
          type: 'custom',
        },
      ],
    ])
    const diagram = (await admin.call('POST', '/network-diagrams', { name: 'X', ...drawing })).body
    const partial = await admin.call('PUT', `/network-diagrams/${diagram.id}`, { nodes: [drawing.nodes[0]] })
    expect([partial.status, partial.body.errors.length]).toEqual([422, 2])
    expect((await admin.call('GET', `/network-diagrams/${diagram.id}`)).body).toEqual(diagram)
  })

  it('DIA-24 stores the group of a node, and is rejected when a group is missing or in a circle, also in a partial update', async () => {
    const { admin } = await createAccount(service)
    const [first, second] = drawing.nodes
    const nodes: object[] = [
      { ...first, parent_id: 'site' },
      { ...second },
      { id: 'site', type: 'group', position: { x: 0, y: 0 }, data: { label: 'HQ' } },
    ]
    const edges = [{ id: 'e1', source: 'sw1', target: 'site' }]
    const { body } = await admin.call('POST', '/network-diagrams', { name: 'Site', nodes, edges })
    expect([body.nodes, body.edges]).toEqual([nodes, edges])
    const update = async (changed: object[]) => {
      const { status, body: answer } = await admin.call('PUT', `/network-diagrams/${body.id}`, {
        nodes: changed,
      })
      return [
        status,
        answer.errors?.map(({ loc, msg }: { loc: string[]; msg: string }) => [loc.join('.'), msg]),
      ]
    }
    expect(await update(nodes.slice(0, 2))).toEqual([
      422,
      [
        ['body.edges.0.target', 'must be the id of a node in this diagram'],
        ['body.nodes.0.parent_id', 'must be the id of a node in this diagram'],
      ],
    ])
    expect(await update([...nodes.slice(0, 2), { ...nodes[2], parent_id: 'fw1' }])).toEqual([
      422,
      ['0', '2'].map((index) => [`body.nodes.${index}.parent_id`, 'must not lead back to the node itself']),
    ])
    expect((await admin.call('GET', `/network-diagrams/${body.id}`)).body).toEqual(body)
  })

  it('DIA-14 can have up to 1,000 nodes and 2,000 edges, and its SVG contains all of them', async () => {
    const { admin } = await createAccount(service)
    const nodes = Array.from({ length: 1000 }, (_, n) => ({
      id: `n${n}`,
      type: 'network',
      position: { x: (n % 40) * 200, y: Math.floor(n / 40) * 150 },
      data: { label: `Switch ${n}` },
    }))
    const edges = Array.from({ length: 2000 }, (_, n) => ({
      id: `e${n}`,
      source: `n${n % 1000}`,
      target: `n${(n * 7 + 1) % 1000}`,
    }))
    const { status, body } = await admin.call('POST', '/network-diagrams', { name: 'Big', nodes, edges })
    expect(status).toBe(201)
    const { text } = await admin.call('GET', `/network-diagrams/${body.id}/export?format=svg`)
    expect([text.match(/<g><rect /g)?.length, text.match(/fill="none" stroke="#6b7280"/g)?.length]).toEqual([
      1000, 2000,
    ])
    const tooManyNodes = await admin.call('PUT', `/network-diagrams/${body.id}`, {
      nodes: [...nodes, { ...nodes[0], id: 'x' }],
    })
    const tooManyEdges = await admin.call('PUT', `/network-diagrams/${body.id}`, {
      edges: [...edges, { ...edges[0], id: 'x' }],
    })
    expect([tooManyNodes.status, tooManyEdges.status]).toEqual([422, 422])
  })

  it('DIA-06 can be read by its team and account admins, and changed by account admins but not by teammates', async () => {
    const account = await createAccount(service)
    const [creator, teammate, outsider] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague({ teamId: null }),
    ]
    const { body } = await creator.call('POST', '/network-diagrams', { name: 'Ours', ...drawing })
    const getStatus = async (person: typeof creator) =>
      (await person.call('GET', `/network-diagrams/${body.id}`)).status
    expect([await getStatus(teammate), await getStatus(outsider), await getStatus(account.admin)]).toEqual([
      200, 404, 200,
    ])
    expect((await outsider.call('GET', '/network-diagrams')).body).toEqual([])
    expectStatus(await teammate.call('PUT', `/network-diagrams/${body.id}`, { name: 'x' }), 403)
    expectStatus(await teammate.call('POST', `/network-diagrams/${body.id}/archive`), 403)
    expect(
      (await account.admin.call('PUT', `/network-diagrams/${body.id}`, { name: 'Renamed' })).body,
    ).toMatchObject({
      name: 'Renamed',
      edges: drawing.edges,
    })
  })

  it('DIA-07 can be duplicated by every engineer who can see it', async () => {
    const account = await createAccount(service)
    const teammate = await account.addColleague()
    const { body } = await account.admin.call('POST', '/network-diagrams', {
      name: 'Ours',
      client_name: 'C',
      ...drawing,
    })
    const copy = await teammate.call('POST', `/network-diagrams/${body.id}/duplicate`)
    expect([copy.status, copy.body.name, copy.body.created_by, copy.body.client_name]).toEqual([
      201,
      'Ours (copy)',
      teammate.id,
      'C',
    ])
    expect([copy.body.nodes, copy.body.edges]).toEqual([body.nodes, body.edges])
  })

  it('DIA-08 is omitted from the default list and the list of clients while it is archived', async () => {
    const { admin } = await createAccount(service)
    const { body } = await admin.call('POST', '/network-diagrams', { name: 'Old', client_name: 'Fabrikam' })
    const countDiagrams = async (query: string) =>
      (await admin.call('GET', `/network-diagrams${query}`)).body.length
    expect((await admin.call('POST', `/network-diagrams/${body.id}/archive`)).body.is_archived).toBe(true)
    expect([await countDiagrams(''), await countDiagrams('?archived=true')]).toEqual([0, 1])
    expect((await admin.call('GET', '/network-diagrams/clients')).body).toEqual([])
    expect(
      (await admin.call('POST', `/network-diagrams/${body.id}/archive`, { archived: false })).body
        .is_archived,
    ).toBe(false)
    expect(await countDiagrams('')).toBe(1)
  })

  it('DIA-02 DIA-03 is found by literal words and by client', async () => {
    const { admin } = await createAccount(service)
    await admin.call('POST', '/network-diagrams', {
      name: 'VLAN 100% done',
      client_name: 'Fabrikam',
      asset_name: 'sw_core',
    })
    await admin.call('POST', '/network-diagrams', {
      name: 'VLAN 1000 plan',
      client_name: 'FABRIKAM',
      description: 'swxcore',
    })
    await admin.call('POST', '/network-diagrams', { name: 'Other', client_name: 'Contoso' })
    const listNames = async (query: string) =>
      (await admin.call('GET', `/network-diagrams?${query}`)).body
        .map(({ name }: { name: string }) => name)
        .sort()
    expect(await listNames('search=100%25')).toEqual(['VLAN 100% done'])
    expect(await listNames('search=sw_core')).toEqual(['VLAN 100% done'])
    expect(await listNames('search=vlan')).toEqual(['VLAN 100% done', 'VLAN 1000 plan'])
    expect(await listNames('client=fabrikam')).toEqual(['VLAN 100% done', 'VLAN 1000 plan'])
    expect((await admin.call('GET', '/network-diagrams/clients')).body).toEqual([
      { client_name: 'Contoso', count: 1 },
      { client_name: expect.stringMatching(/fabrikam/i), count: 2 },
    ])
  })
})

describe('the import of a diagram', () => {
  it('restores an exported diagram with equal content', async () => {
    const [ours, theirs] = [await createAccount(service), await createAccount(service)]
    const exported = (
      await theirs.admin.call('POST', '/network-diagrams', {
        name: 'Büro / 2',
        description: 'x',
        client_name: 'F',
        asset_name: 'A',
        ...drawing,
      })
    ).body
    const file = await theirs.admin.call('GET', `/network-diagrams/${exported.id}/export`)
    expect(file.headers.get('content-disposition')).toBe(
      `attachment; filename="buro-2.diagram.json"; filename*=UTF-8''b%C3%BCro-2.diagram.json`,
    )
    const { status, body } = await ours.admin.call('POST', '/network-diagrams/import', JSON.parse(file.text))
    expect([status, body.skipped]).toEqual([201, []])
    const { name, description, client_name, asset_name, nodes, edges } = body.diagram
    expect({ name, description, client_name, asset_name, nodes, edges }).toEqual({
      name: 'Büro / 2',
      description: 'x',
      client_name: 'F',
      asset_name: 'A',
      ...drawing,
    })
    expect(file.text).not.toContain(theirs.admin.accountId)
  })

  const cells = `<root><mxCell id="0"/><mxCell id="1" parent="0"/>
    <mxCell id="g" value="Rack" style="group" vertex="1" parent="1"><mxGeometry x="100" y="50" width="400" height="300" as="geometry"/></mxCell>
    <object id="fw" label="&lt;b&gt;FW-HQ&lt;/b&gt;" ip="10.0.0.1"><mxCell style="shape=mxgraph.cisco.security.firewall;fillColor=#FF0000;html=1;" vertex="1" parent="g"><mxGeometry x="10" y="20" width="80" height="60" as="geometry"/></mxCell></object>
    <mxCell id="sw" value="Core &amp;amp; edge" style="shape=mxgraph.cisco.switches.layer_3_switch;html=1" vertex="1" parent="1"><mxGeometry x="300" y="400" width="80" height="60" as="geometry"/></mxCell>
    <mxCell id="e" style="edgeStyle=orthogonalEdgeStyle" edge="1" source="fw" target="sw" parent="1"><mxGeometry relative="1" as="geometry"/></mxCell>
    <mxCell id="l" value="10G" style="edgeLabel;html=1" vertex="1" parent="e"><mxGeometry relative="1" as="geometry"/></mxCell>
    <mxCell id="t" value="Drawn in 2024" style="text;html=1" vertex="1" parent="1"><mxGeometry x="0" y="0" as="geometry"/></mxCell>
    <mxCell id="loose" value="Nowhere" edge="1" source="fw" parent="1"/></root>`
  const expected = {
    nodes: [
      {
        id: 'g',
        type: 'group',
        position: { x: 90, y: 35 },
        style: { width: 410, height: 315 },
        data: { label: 'Rack' },
      },
      {
        id: 'fw',
        type: 'security',
        position: { x: 110, y: 70 },
        parent_id: 'g',
        style: { backgroundColor: '#ff0000' },
        data: { label: 'FW-HQ', category: 'security' },
      },
      {
        id: 'sw',
        type: 'network',
        position: { x: 300, y: 400 },
        data: { label: 'Core & edge', category: 'network' },
      },
    ],
    edges: [{ id: 'e', source: 'fw', target: 'sw', routing: 'step', label: '10G' }],
  }
  const compressed = deflateRawSync(encodeURIComponent(`<mxGraphModel>${cells}</mxGraphModel>`)).toString(
    'base64',
  )

  it.each([
    [
      'plain',
      `<mxfile><diagram name="HQ"><mxGraphModel>${cells}</mxGraphModel></diagram><diagram name="Branch">x</diagram></mxfile>`,
    ],
    [
      'compressed',
      `<?xml version="1.0"?><mxfile><diagram name="HQ">${compressed}</diagram><diagram name="Branch">x</diagram></mxfile>`,
    ],
  ])('accepts a %s draw.io file and returns the skipped parts', async (_, content) => {
    const { admin } = await createAccount(service)
    const { status, body } = await admin.call('POST', '/network-diagrams/import', {
      format: 'drawio',
      content,
    })
    expect([status, body.diagram?.name, body.diagram?.nodes, body.diagram?.edges]).toEqual([
      201,
      'HQ',
      expected.nodes,
      expected.edges,
    ])
    expect(body.skipped).toEqual([
      'Page “Branch”: only one page is imported; `page` chooses it',
      'Text “Drawn in 2024”',
      'Line “Nowhere”: it does not connect two imported shapes',
    ])
  })

  it('DIA-25 imports the page with a number or a name, and refuses one that is missing', async () => {
    const { admin } = await createAccount(service)
    const content = `<mxfile><diagram name="HQ">${compressed}</diagram><diagram name="Branch"><mxGraphModel/></diagram></mxfile>`
    const importPage = (page: number | string) =>
      admin.call('POST', '/network-diagrams/import', { format: 'drawio', content, page })
    const names = [await importPage(1), await importPage('HQ'), await importPage('Branch')].map(
      ({ body }) => body.diagram?.name,
    )
    expect(names).toEqual(['HQ', 'HQ', 'Branch'])
    const { status, body } = await importPage(3)
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          loc: ['body', 'page'],
          msg: 'The file has no page 3; its pages are “HQ”, “Branch”',
          type: 'unreadable',
        },
      ],
    ])
  })

  it('rejects a malicious or invalid draw.io file with a message within 3 s', { retry: 2 }, async () => {
    const { admin } = await createAccount(service)
    const decompressionBomb = deflateRawSync(Buffer.alloc(64 * 1024 * 1024, 'a')).toString('base64')
    const files = [
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><mxfile><diagram>&e;</diagram></mxfile>',
      '<mxfile><diagram>not base64 !</diagram></mxfile>',
      `<mxfile><diagram>${decompressionBomb}</diagram></mxfile>`,
      `<mxGraphModel>${'<a>'.repeat(5000)}`,
      '<mxfile/>',
      'hello',
      `<mxGraphModel><root>${'<mxCell id="x" vertex="1"/>'.repeat(20_001)}</root></mxGraphModel>`,
    ]
    const messages: string[] = []
    for (const content of files) {
      const startedAt = performance.now()
      const { status, body } = await admin.call('POST', '/network-diagrams/import', {
        format: 'drawio',
        content,
      })
      expect([content.slice(0, 60), status, body.errors?.[0]?.loc]).toEqual([
        content.slice(0, 60),
        422,
        ['body', 'content'],
      ])
      expect(performance.now() - startedAt).toBeLessThan(3000)
      messages.push(body.errors[0].msg)
    }
    expect(messages).toEqual([
      'The file declares a document type',
      'The compressed diagram cannot be decompressed, or is too large',
      'The compressed diagram cannot be decompressed, or is too large',
      'The file is nested too deeply',
      'The file contains no diagram',
      expect.stringContaining('Send the .drawio file'),
      'The file has more than 20,000 cells',
    ])
    expect((await admin.call('GET', '/network-diagrams')).body).toEqual([])
  })
})

describe('the exports of a diagram for other programs', () => {
  const grouped = {
    nodes: [
      ...drawing.nodes.map((node) => ({ ...node, parent_id: 'hq' })),
      { id: 'hq', type: 'group', position: { x: 0, y: 0 }, data: { label: 'HQ' } },
    ],
    edges: drawing.edges,
  }

  it('DIA-26 can be opened in draw.io and imported again', async () => {
    const { admin } = await createAccount(service)
    const { body } = await admin.call('POST', '/network-diagrams', { name: 'Büro <2>', ...grouped })
    const { headers, text: content } = await admin.call(
      'GET',
      `/network-diagrams/${body.id}/export?format=drawio`,
    )
    expect(headers.get('content-type')).toBe('application/vnd.jgraph.mxfile')
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="buro-2.drawio"; filename*=UTF-8''b%C3%BCro-2.drawio`,
    )
    const imported = await admin.call('POST', '/network-diagrams/import', { format: 'drawio', content })
    const { name, nodes, edges } = imported.body.diagram
    expect([imported.status, { name, nodes, edges }, imported.body.skipped]).toEqual([
      201,
      { name: 'Büro <2>', ...grouped },
      [],
    ])
  })

  it('DIA-29 can be shown as a PNG image', async () => {
    const { admin } = await createAccount(service)
    const { body } = await admin.call('POST', '/network-diagrams', { name: 'Büro', ...grouped })
    const answer = await fetch(`${service.api}/api/v1/network-diagrams/${body.id}/export?format=png`, {
      headers: { authorization: `Bearer ${admin.token}` },
    })
    const [headers, bytes] = [answer.headers, new Uint8Array(await answer.arrayBuffer())]
    expect(headers.get('content-type')).toBe('image/png')
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="buro.png"; filename*=UTF-8''b%C3%BCro.png`,
    )
    expect([...bytes.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  })

  it('DIA-27 DIA-28 can be shown as a mermaid flowchart and imported again', async () => {
    const { admin } = await createAccount(service)
    const { body } = await admin.call('POST', '/network-diagrams', { name: 'Büro "2"', ...grouped })
    const { headers, text: content } = await admin.call(
      'GET',
      `/network-diagrams/${body.id}/export?format=mermaid`,
    )
    expect(headers.get('content-type')).toBe('text/vnd.mermaid; charset=utf-8')
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="buro-2.mmd"; filename*=UTF-8''b%C3%BCro-2.mmd`,
    )
    const imported = await admin.call('POST', '/network-diagrams/import', { format: 'mermaid', content })
    const { name, nodes, edges } = imported.body.diagram
    expect([imported.status, name]).toEqual([201, 'Büro "2"'])
    expect(nodes.map(({ id, parent_id }: { id: string; parent_id?: string }) => [id, parent_id])).toEqual([
      ['hq', undefined],
      ['fw1', 'hq'],
      ['sw1', 'hq'],
    ])
    expect(edges).toMatchObject([
      { source: 'fw1', target: 'sw1', label: '10 Gbit/s' },
      { source: 'sw1', target: 'fw1' },
    ])
    const refused = await admin.call('POST', '/network-diagrams/import', {
      format: 'mermaid',
      content: 'pie',
    })
    expect([refused.status, refused.body.errors[0].loc, refused.body.errors[0].type]).toEqual([
      422,
      ['body', 'content'],
      'unreadable',
    ])
  })
})

describe('the SVG export of a diagram', () => {
  it('DIA-15 contains no script, URL or markup from the diagram', async () => {
    const { admin } = await createAccount(service)
    const maliciousText = '"><script>alert(1)</script><image href="https://evil.example/x"/>&lt;'
    const style = {
      stroke: 'url(https://evil.example)',
      fill: 'red;}</style>',
      backgroundColor: maliciousText,
      strokeWidth: '1" onload="x',
      width: 1e99,
      onclick: 'x',
    }
    const nodes = [
      {
        id: maliciousText.slice(0, 90),
        type: maliciousText.slice(0, 90),
        position: { x: 0, y: 0 },
        style,
        data: { label: `${maliciousText}\u0007`, icon: maliciousText, category: maliciousText },
      },
      { id: 'b', type: 'cloud', position: { x: 400, y: 300 }, data: { label: 'javascript:alert(1)' } },
    ]
    const edges = [
      {
        id: 'e',
        source: nodes[0]?.id,
        target: 'b',
        label: maliciousText,
        style: { ...style, strokeDasharray: maliciousText },
      },
    ]
    const { body } = await admin.call('POST', '/network-diagrams', { name: maliciousText, nodes, edges })
    const { headers, text } = await admin.call('GET', `/network-diagrams/${body.id}/export?format=svg`)
    expect(headers.get('content-type')).toBe('image/svg+xml')
    expect(headers.get('content-disposition')).toMatch(/^attachment; /)
    expect(headers.get('content-security-policy')).toContain('sandbox')
    // Keep the tags and remove the texts between them.
    const markup = text.replace(/>[^<]*</g, '><')
    expect(markup).not.toMatch(/href|url\(|\son\w+=|style|evil|alert/i)
    expect(text).not.toContain('\u0007')
    expect(
      markup.match(/<\/?[a-z]+/gi)?.every((tag) => /^<\/?(svg|title|rect|g|path|text|tspan)$/.test(tag)),
    ).toBe(true)
  })
})
