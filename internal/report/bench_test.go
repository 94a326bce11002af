package report

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/gavel-review/gavel"
)

func manyFindings(n int) sample {
	findings := make([]gavel.Finding, n)
	for i := range findings {
		findings[i] = finding(func(f *gavel.Finding) {
			f.Severity = gavel.Severities[i%len(gavel.Severities)]
			f.File, f.Line = fmt.Sprintf("src/dir%d/file%d.ts", i/1000, i/10), i%10+1
			f.Description = fmt.Sprintf("it.only keeps the %d other tests of this file from running.", i)
		})
	}
	return newSample("many", findings, nil)
}

func BenchmarkFormats(b *testing.B) {
	s := manyFindings(100_000)
	for _, f := range formats {
		b.Run(f.ext, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				size := &countingWriter{}
				if err := f.write(size, s); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(size.n)
			}
		})
	}
}

func BenchmarkReadDocument(b *testing.B) {
	for _, n := range []int{10, 100_000} {
		var data bytes.Buffer
		if err := JSON(&data, manyFindings(n).doc); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(data.Len()))
			for b.Loop() {
				if _, err := ReadDocument(bytes.NewReader(data.Bytes()), 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type countingWriter struct{ n int64 }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.n += int64(len(p))
	return len(p), nil
}

var _ io.Writer = (*countingWriter)(nil)
