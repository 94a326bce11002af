// Package report renders a review's document: for programs as JSON and SARIF, for people as text and Markdown, and
// describes the JSON by a schema. It decides nothing; every view shows the same document and the same verdict.
//
// Whatever comes from a repository, a tool or a model reaches a reader only escaped for the format at hand.
package report
