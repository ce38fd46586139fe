// Folders of lib import each other in one direction only. The files directly in lib/ name every port, so they are left out here.
module.exports = {
  forbidden: [{ name: 'no-circular-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } }],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(lib/local/|lib/[^/]+\\.ts$)' },
  },
}
