package app

import (
	"encoding/base64"
	"net/url"
	"path"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/store"
)

// Resource is a text that can be read by its address alone.
type Resource struct {
	URI      string
	Name     string
	MIMEType string
	Size     int64 // bytes
}

const (
	runResources  = "gavel:///runs/"
	resourcesPage = 100     // at least so many, where there are: a page ends with a run
	maxResource   = 4 << 20 // bytes of one text
)

// PackResources lists the files of finished runs, of every repository and the newest run first. A cursor that is not
// ours, or whose run is gone, is invalid_args.
func PackResources(env *Env, cursor string) (page []Resource, next string, err error) {
	s := store.Open(env.Getenv)
	rows, err := s.Runs(store.RunRepo{}, store.RunQuery{State: gavel.StateCompleted})
	if err != nil {
		return nil, "", err
	}
	if rows, err = behindCursor(rows, cursor); err != nil {
		return nil, "", err
	}
	for i, row := range rows {
		entries, err := s.PackEntries(row)
		if err != nil {
			continue // taken away meanwhile, or damaged: then it cannot be read either
		}
		for _, e := range entries {
			uri := packURI(row.ID, e.Name)
			page = append(page, Resource{URI: uri, Name: row.ID + "/" + e.Name, MIMEType: mimeType(e.Name), Size: e.Size})
		}
		if len(page) >= resourcesPage && i+1 < len(rows) {
			return page, resourceCursor(row), nil
		}
	}
	return page, "", nil
}

// behindCursor leaves out the runs of the pages before.
func behindCursor(rows []store.RunRow, cursor string) ([]store.RunRow, error) {
	if cursor == "" {
		return rows, nil
	}
	for i, row := range rows {
		if resourceCursor(row) == cursor {
			return rows[i+1:], nil
		}
	}
	return nil, gavel.Errorf(gavel.InvalidArgs, "cursor: not one that this list gave, or its run is gone").WithHint("begin without a cursor")
}

// resourceCursor names the last run of a page.
func resourceCursor(row store.RunRow) string {
	return base64.RawURLEncoding.EncodeToString([]byte(row.Repo + "/" + row.ID))
}

// ReadPackResource reads a file of a finished run by its address. Whatever is no such file, by its form, its place or
// its state, is not_found: whoever asks learns no more than that.
func ReadPackResource(env *Env, uri string) (text, mime string, err error) {
	missing := gavel.Errorf(gavel.NotFound, "there is no such resource")
	id, name, ok := parsePackURI(uri)
	if !ok {
		return "", "", missing
	}
	data, err := store.Open(env.Getenv).PackFileAnywhere(id, name)
	if err != nil {
		switch gavel.AsError(err).Class {
		case gavel.RunNotFound, gavel.ArtifactMissing, gavel.StaleRun, gavel.RunFailed:
			return "", "", missing
		}
		return "", "", err
	}
	if len(data) > maxResource {
		return "", "", gavel.Errorf(gavel.BudgetExceeded, "the resource has %d bytes, more than %d", len(data), maxResource).WithHint("read it in pages: read_artifact")
	}
	return strings.ToValidUTF8(string(data), "\ufffd"), mimeType(name), nil
}

func packURI(id, name string) string {
	return (&url.URL{Scheme: "gavel", Path: strings.TrimPrefix(runResources, "gavel://") + id + "/" + name}).String()
}

// parsePackURI accepts an address in the one form in which the list writes it.
func parsePackURI(uri string) (id, name string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || !strings.HasPrefix(uri, runResources) {
		return "", "", false
	}
	id, name, ok = strings.Cut(strings.TrimPrefix(u.Path, "/runs/"), "/")
	return id, name, ok && packURI(id, name) == uri
}

// mimeType goes by the name of a file of a pack.
func mimeType(name string) string {
	switch path.Ext(name) {
	case ".json":
		return "application/json"
	case ".sarif":
		return "application/sarif+json"
	case ".md":
		return "text/markdown"
	case ".html":
		return "text/html"
	case ".patch":
		return "text/x-diff"
	}
	return "text/plain"
}
