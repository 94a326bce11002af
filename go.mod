module github.com/gavel-review/gavel

go 1.26
